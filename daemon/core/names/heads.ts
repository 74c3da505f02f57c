/** What the core knows of the volumes that the server has named, and their newest commits. */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { WaitKey } from '../waits/wait-key.ts';

export const feedKey = (volume: VolumeId): WaitKey => ({ kind: 'feed', volume });

/** Raises the newest known commit of a volume, and wakes the calls that wait for its feed. */
export function noteHead(state: ClientState, volume: VolumeId, head: CommitNumber): void {
  const known = state.names.volumes.get(volume);
  if (known === undefined || head <= known.head) return;
  known.head = head;
  state.changed = true;
  state.waiting.signal(feedKey(volume));
}
