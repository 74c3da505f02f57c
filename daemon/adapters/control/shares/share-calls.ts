/**
 * `accept-share` and `leave-share`: what is shared with this person is shown in the folder, and given up. All that is done is ordinary calls of the access
 * lists and of the file-system port, so each of these may be asked again.
 */
import type { Share } from '../../../../shared/control/access.ts';
import type { VolumePath } from '../../../../shared/ports/controlled.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import {
  isNowhere,
  mount,
  placeOf,
  refuseLeftOut,
  shownPath,
  type SharingDaemon,
} from './share-place.ts';

/** Shows what was offered at a new place. Rejects `no-such-volume`, `exists`, `usage`, `no-right`, `not-found`, `not-connected` ... */
export async function acceptShare(
  daemon: SharingDaemon,
  volume: string,
  place: VolumePath,
): Promise<void> {
  const share = await shareNamed(daemon, volume);
  if (!isNowhere(share)) {
    const at = shownPath(share.path ?? []);
    throw new GodwitError('exists', `${volume} is shown at ${at} already`);
  }
  const { dir, last, shown, found } = await placeOf(daemon, place);
  await refuseLeftOut(daemon, place, shown);
  if (found !== null) {
    throw new GodwitError('exists', `${shown}: something is called so`, 'name another folder');
  }
  await mount(daemon, { dir, name: last }, volume);
}

/** Gives up what was given, and takes it out of the folder. `stays`: a team lets this person see it still. Rejects `no-such-volume`, `usage`, `last-administrator`, `not-connected` ... */
export async function leaveShare(daemon: SharingDaemon, volume: string): Promise<boolean> {
  const { path, isFolder } = await shareNamed(daemon, volume);
  if (isFolder) throw new GodwitError('usage', `${volume}: your folder itself shows it`);
  await daemon.access.leave(volume);
  const { shares } = await daemon.access.shares();
  if (path !== null) {
    const around = shares.find((share) => share.isFolder)?.volume ?? '';
    const { dir, last, found } = await placeOf(daemon, { volume: around, path });
    if (found?.mounted !== undefined) {
      await daemon.programs.rmdir({ dir, name: last }, { unmounts: true });
    }
  }
  return shares.some((share) => share.volume === volume);
}

async function shareNamed({ access }: SharingDaemon, name: string): Promise<Share> {
  const { shares } = await access.shares();
  const found = shares.find(({ volume }) => volume === name);
  if (found !== undefined) return found;
  throw new GodwitError('no-such-volume', `${name}: nothing is shared with you by this name`);
}
