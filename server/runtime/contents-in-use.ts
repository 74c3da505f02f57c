/** The contents that stores on their way through the server will name when they are committed, and those that their deltas are against. */
import type { Digest } from '../../shared/model/vnode.ts';
import type { ServerState } from '../core/state.ts';

/** Of this moment; null: no server has started. */
export function contentsInUse(state: ServerState | null): Digest[] {
  if (state === null) return [];
  const named = [...state.devices.values()].flatMap(({ updates }) =>
    [...updates.values()].flatMap(({ update }) => (update.op === 'store' ? [update.digest] : [])),
  );
  const bases = [...state.receiving.values()].flatMap(({ base }) =>
    base === null ? [] : [base.digest],
  );
  return [...named, ...bases];
}
