/** Calls that only look: volumes, lookup, getattr, readdir. */
import type { Fid } from '../../../shared/model/fid.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import { isMountPoint } from '../../../shared/model/mount-point.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { validateNearby, needDirectory, needStatus, statusKey } from '../sharing/validation.ts';
import type { FileSystemCall, RequestId } from '../events.ts';
import { acrossMount, shownBy } from '../log/mount-points.ts';
import type { ClientState } from '../state.ts';
import { attributesOf, isUncommitted, viewEntries, viewEntry, viewStatus } from '../log/view.ts';
import { foundAlone, needWay, validateWay } from '../sharing/lookup.ts';
import { done, refused, waitFor, type Attempt } from '../waits/attempt-result.ts';
import type { WaitKey } from '../waits/wait-key.ts';

type Lookup = Extract<FileSystemCall, { op: 'lookup' }>;
type Readdir = Extract<FileSystemCall, { op: 'readdir' }>;

/**
 * Lists the volumes that the server has named, each with its newest known commit, by number. Waits
 * until one is known.
 */
export function attemptVolumes(state: ClientState): Attempt {
  if (state.names.volumes.size === 0) return waitFor({ kind: 'volumes' });
  const volumes = [...state.names.volumes.values()].sort((a, b) => a.row.info.id - b.row.info.id);
  return done(volumes.map((volume) => ({ ...volume.row.info, head: volume.head })));
}

/** The status of a vnode that is there, in the view; or how the call ends or waits. */
export function presentStatus(
  state: ClientState,
  fid: Fid,
  since: RequestId,
): { status: VnodeStatus } | Attempt {
  if (!state.names.volumes.has(volumeOf(fid))) {
    return state.names.volumes.size === 0 && !state.isAway()
      ? waitFor({ kind: 'volumes' })
      : refused('not-found', `${fid} is in no volume of this device`);
  }
  const need = needStatus(state, fid, since);
  if (need !== null) return waitFor(need);
  const status = viewStatus(state, fid);
  if (status === undefined && isHidden(state, fid)) return hidden(state, fid);
  if (status === undefined || status.links === 0) return refused('not-found', `${fid} is gone`);
  return { status };
}

/** Whether the existence of the vnode can not be known: it is not cached, and its volume may not be seen any more. */
function isHidden(state: ClientState, fid: Fid): boolean {
  return state.session.isUp && state.names.volumes.isShut(fid) && !isUncommitted(state, fid);
}

function hidden(state: ClientState, fid: Fid): Attempt {
  const name = state.names.volumes.removedName(volumeOf(fid));
  return name === null
    ? refused('no-right', 'its volume may not be seen any more, and it is not known here')
    : refused('volume-removed', `the volume ${name} was removed, and it is not known here`);
}

/** A directory whose entries may be read in the view; or how the call ends or waits. */
export function presentDirectory(
  state: ClientState,
  dir: Fid,
  since: RequestId,
): { status: VnodeStatus } | Attempt {
  const found = presentStatusCheaply(state, dir, since);
  if ('kind' in found) return found;
  if (found.status.kind !== 'directory') return refused('not-a-directory', `${dir} is no folder`);
  return found;
}

/** Reading a directory brings its status along, so it is not asked for apart. */
function presentStatusCheaply(
  state: ClientState,
  dir: Fid,
  since: RequestId,
): { status: VnodeStatus } | Attempt {
  if (!state.names.volumes.has(volumeOf(dir))) return presentStatus(state, dir, since);
  const need = needDirectory(state, dir, since);
  if (need !== null) return waitFor(need, statusKey(dir));
  const status = viewStatus(state, dir);
  const isUnlisted = status?.kind === 'directory' && viewEntries(state, dir) === undefined;
  if ((status === undefined || isUnlisted) && isHidden(state, dir)) return hidden(state, dir);
  if (status === undefined || status.links === 0) return refused('not-found', `${dir} is gone`);
  return { status };
}

/**
 * Looks one name up in a directory of the view, and answers with the attributes of its vnode.
 * Refuses with `not-found`: a cached directory is whole, so a missing name does not exist. Where it
 * has to wait it validates the siblings too. `onwards` are the names that the caller goes on with
 * below it: the whole way is asked for at once (sharing/lookup.ts).
 */
export function attemptLookup(
  state: ClientState,
  { dir, name, crosses = false, onwards = [] }: Lookup,
  since: RequestId,
): Attempt {
  const alone = foundAlone(state, dir, name, since);
  if (alone === null) return refused('not-found', `there is no ${name}`);
  if (alone !== undefined) {
    const answer = crosses
      ? attemptAcross(state, alone, since)
      : attemptGetattr(state, alone, since);
    if (answer.kind !== 'refused') return answer;
    // What it led to is gone; something else may have the name by now.
    state.names.directories.alone.forget(dir);
  }
  const way = { dir, names: [name, ...onwards] };
  const need = needWay(state, way, since);
  if (need !== null) return waitFor(need);
  const found = presentDirectory(state, dir, since);
  if ('kind' in found) {
    if (found.kind === 'wait') validateWay(state, way);
    return found;
  }
  const fid = viewEntry(state, dir, name) ?? null;
  if (fid === null) return refused('not-found', `there is no ${name}`);
  const answer = crosses ? attemptAcross(state, fid, since) : attemptGetattr(state, fid, since);
  // Its siblings come along: a folder is walked through by names as often as it is listed.
  if (answer.kind === 'wait') {
    validateWay(state, way);
    validateNearby(state, [...(state.names.directories.get(dir)?.entries.values() ?? [])]);
  }
  return answer;
}

/** As `attemptGetattr`, or of what a mount point shows, once the root of that volume may be used too. */
function attemptAcross(state: ClientState, fid: Fid, since: RequestId): Attempt {
  const found = presentStatus(state, fid, since);
  if ('kind' in found) return found;
  const { status } = found;
  if (!isMountPoint(status)) return done(attributesOf(state, status));
  const need = needAcross(state, status, since);
  return need === null ? done(acrossMount(state, status)) : waitFor(need);
}

/** What is to be known of the root that is shown at a mount point; null: nothing is shown, or enough is known. */
function needAcross(state: ClientState, status: VnodeStatus, since: RequestId): WaitKey | null {
  if (!isMountPoint(status)) return null;
  const shown = shownBy(state, status);
  return 'root' in shown ? needStatus(state, shown.root, since) : null;
}

/** Answers with the attributes of a vnode in the view, once its status may be used. */
export function attemptGetattr(state: ClientState, fid: Fid, since: RequestId): Attempt {
  const found = presentStatus(state, fid, since);
  return 'kind' in found ? found : done(attributesOf(state, found.status));
}

/**
 * Lists a directory of the view with the attributes of each entry. Waits until every status may be
 * used. Refuses the whole listing with `no-right` if an entry is hidden: a missing row would look
 * like a removal.
 */
export function attemptReaddir(
  state: ClientState,
  { dir, crosses = false }: Readdir,
  since: RequestId,
): Attempt {
  const found = presentDirectory(state, dir, since);
  if ('kind' in found) return found;
  const entries = viewEntries(state, dir) ?? [];
  const missing: WaitKey[] = [];
  const fids: Fid[] = [];
  for (const [, fid] of entries) {
    const status = crosses ? viewStatus(state, fid) : undefined;
    const need =
      needStatus(state, fid, since) ??
      (status === undefined ? null : needAcross(state, status, since));
    if (need !== null) missing.push(need);
    fids.push(fid);
  }
  if (missing.length > 0) {
    validateNearby(state, fids);
    return waitFor(...missing);
  }
  // Left out they would look removed.
  if (fids.some((fid) => isHidden(state, fid) && viewStatus(state, fid) === undefined)) {
    return hidden(state, dir);
  }
  const listed = entries.flatMap(([name, fid]) => {
    const status = viewStatus(state, fid);
    if (status === undefined || status.links === 0) return [];
    const isCrossed = crosses && isMountPoint(status);
    const attributes = isCrossed ? acrossMount(state, status) : attributesOf(state, status);
    return [{ name, attributes }];
  });
  return done(listed);
}
