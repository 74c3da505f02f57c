/** What is kept of the quota of each volume beside its use, in this moment: for who asks about a server that runs. */
import type { VolumeId } from '../../shared/model/fid.ts';
import type { Instant } from '../../shared/model/time.ts';
import type { ServerState } from '../core/state.ts';

/** Null: no server has started. */
export function reservedSpace(
  state: ServerState | null,
  now: Instant,
): Array<{ readonly volume: VolumeId; readonly uploads: number; readonly granted: number }> {
  if (state === null) return [];
  return [...state.volumes].map(({ id, quota }) => {
    const { grants, uploads, begun } = quota;
    let granted = 0;
    for (const [device, bytes] of grants) {
      const lease = state.devices.get(device)?.lease;
      if (lease !== undefined && lease > now) granted += bytes;
    }
    return { volume: id, uploads: uploads.total + begun, granted };
  });
}
