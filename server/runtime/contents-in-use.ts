/** The contents that stores on their way through the server will name when they are committed. */
import type { Digest } from '../../shared/model/vnode.ts';
import type { ServerState } from '../core/state.ts';

/** Of this moment; null: no server has started. */
export function contentsInUse(state: ServerState | null): Digest[] {
  const devices = [...(state?.devices.values() ?? [])];
  return devices.flatMap(({ updates }) =>
    [...updates.values()].flatMap(({ update }) => (update.op === 'store' ? [update.digest] : [])),
  );
}
