/**
 * Which volumes a front end follows: those it has asked the feed for. An adjustment of any other would wait for ever, since nobody
 * carries it out, and nothing of such a volume is in place anywhere that would need one.
 *
 * It is durable: after a start a conflict may be resolved before the front end asks again. Where one volume is all there is, nothing
 * need be remembered. Until somebody has asked for the first time all count as followed, and what was to be adjusted in the others
 * goes then.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';

const KEY = 'followed';

/**
 * Whether a folder front end follows the volume. Before it has asked for any, all count as followed.
 */
export function isFollowed(state: ClientState, volume: VolumeId): boolean {
  if (state.config.frontEnd !== 'folder') return false;
  return followed(state)?.includes(volume) ?? true;
}

/** Whether the volume is another one than the folder's: paths of it are none of the folder. False where nobody keeps any. */
export function isBesideFolder(state: ClientState, volume: VolumeId): boolean {
  // The folder's own is asked for before those that are mounted in it.
  const [own = volume] = followed(state) ?? [];
  return own !== volume;
}

/** A front end asks the feed for this volume. */
export function nowFollowed(state: ClientState, volume: VolumeId): void {
  const known = followed(state) ?? [];
  if (known.includes(volume) || state.names.volumes.size < 2) return;
  state.meta.set(KEY, [...known, volume].join(','));
  for (const other of state.names.volumes.keys()) {
    if (!isFollowed(state, other)) state.conflict.adjustments.removeAll(other);
  }
}

/** No front end keeps the volume any more; one that asks for it again takes it whole. */
export function noLongerFollowed(state: ClientState, volume: VolumeId): void {
  const known = state.names.volumes.get(volume);
  if (known !== undefined) known.applied = 0 as CommitNumber;
  state.conflict.adjustments.removeAll(volume);
  const left = followed(state)?.filter((id) => id !== volume);
  if (left !== undefined) state.meta.set(KEY, left.join(','));
  state.changed = true;
}

function followed(state: ClientState): VolumeId[] | null {
  const text = state.meta.get(KEY);
  return typeof text === 'string' ? text.split(',').map((id) => Number(id) as VolumeId) : null;
}
