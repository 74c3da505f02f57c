/**
 * Fids of what is in `.snapshots` (file-system port, contract 12): with vnode numbers that no server gives (the range of the root, rule I3). They are of
 * one run of a daemon.
 */
import { parseFid, type Fid } from './fid.ts';

/** What the root of each volume has beside its own names. */
export const SNAPSHOTS_NAME = '.snapshots';

/** The vnode of `.snapshots`, and of all that is in it: with a uniquifier each. */
export const FOLDER_VNODE = 2;
export const NODE_VNODE = 3;

/** Whether it is that folder itself. */
export const isSnapshotsFolder = (fid: Fid): boolean => parseFid(fid)?.vnode === FOLDER_VNODE;

/** Whether it is that folder, or something in it. */
export function isPast(fid: Fid): boolean {
  const vnode = parseFid(fid)?.vnode;
  return vnode === FOLDER_VNODE || vnode === NODE_VNODE;
}
