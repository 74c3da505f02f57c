/**
 * What was put into a mount point while that showed nothing, and was refused (M2). When the volume is shown there, its folder finds the same on the
 * disk, and it is in that volume. Then nobody needs the refused changes any more.
 *
 * Invariant: a change is given up only where all that it made is in the other volume's view, with the same contents, or was removed here since.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { isMountPoint } from '../../../shared/model/mount-point.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { shownBy } from '../log/mount-points.ts';
import { isInMountPoint } from '../log/queue-status.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { madeBy, viewEntry, viewPlaces, viewStatus } from '../log/view.ts';
import type { ClientState } from '../state.ts';
import { giveUp, mayGiveUp } from './give-up.ts';

/** Gives up what was refused in a mount point and is in the volume that this shows by now. The rest stays refused. */
export function giveUpShown(state: ClientState, at: Fid): void {
  const status = viewStatus(state, at);
  if (status === undefined || !isMountPoint(status)) return;
  const shown = shownBy(state, status);
  if (!('root' in shown)) return;
  const refused = [...state.log.index.inDirectory(at)] as LoggedUpdate[];
  const over = refused.filter((entry) => {
    if (!isInMountPoint(entry) || !mayGiveUp(state, entry)) return false;
    const all = [entry, ...state.log.dependents(entry)];
    return all.every((each) => isThere(state, each, { at, root: shown.root }));
  });
  if (over.length > 0) giveUp(state, over);
}

interface Mounted {
  readonly at: Fid;
  readonly root: Fid;
}

/** What the change has left is in the mounted volume, too. A move out of another folder never is: what was moved is there still. */
function isThere(state: ClientState, { update }: LoggedUpdate, mounted: Mounted): boolean {
  const { fid } = update;
  const made = state.log.index.onVnode(fid)[0] as LoggedUpdate | undefined;
  if (made === undefined || madeBy(made.update) === null) return false;
  const here = viewStatus(state, fid);
  if (here === undefined || here.links === 0) return true;
  return viewPlaces(state, fid).every((place) => {
    const there = statusBeneath(state, place, mounted);
    return there !== null && isSame(here, there);
  });
}

function isSame(here: VnodeStatus, there: VnodeStatus): boolean {
  if (here.kind !== there.kind) return false;
  if (here.kind === 'directory') return true;
  return here.kind === 'file' ? here.digest === there.digest : here.target === there.target;
}

/** What the mounted volume has where a place beneath the mount point is; null: nothing, or the place is not beneath it. */
function statusBeneath(
  state: ClientState,
  place: Place,
  { at, root }: Mounted,
): VnodeStatus | null {
  const names = [place.name];
  const passed = new Set<Fid>();
  for (let dir = place.dir; dir !== at;) {
    const above = passed.has(dir) ? undefined : viewPlaces(state, dir)[0];
    if (above === undefined) return null;
    passed.add(dir);
    names.unshift(above.name);
    dir = above.dir;
  }
  let found: Fid | null = root;
  for (const name of names) found = found === null ? null : (viewEntry(state, found, name) ?? null);
  return found === null ? null : (viewStatus(state, found) ?? null);
}
