/**
 * Calls that change names and attributes. Each checks what the view says, unless it reports what a disk has seen
 * (`observed`, file-system port, contract 7); then it logs its update, and the answer follows when that is durable.
 */
import { GROUP_XATTR, groupOf } from '../../../shared/model/file-group.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { isMountPoint } from '../../../shared/model/mount-point.ts';
import { compareNames } from '../../../shared/model/names.ts';
import {
  dataVersion,
  type DataVersion,
  type Mtime,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';
import type {
  AttributeChange,
  Place,
  RemoveOptions,
  RenameOptions,
  SeenVersion,
} from '../../../shared/ports/file-system.ts';
import { chainOf, isUncommitted, viewEntries, viewEntry, viewStatus } from '../log/view.ts';
import type { FileSystemCall, RequestId } from '../events.ts';
import { refusesEntries } from '../log/mount-points.ts';
import { blocksKey, takeFid } from '../names/vnode-blocks.ts';
import type { ClientState } from '../state.ts';
import { logSetattr, logUpdate, wallMtime } from '../log/log-update.ts';
import {
  attributesAfter,
  baseOf,
  inObservation,
  isBeingClosed,
  settledKey,
} from '../log/observation.ts';
import { presentDirectory, presentStatus } from './reads.ts';
import { done, refused, waitFor, type Attempt } from '../waits/attempt-result.ts';
import { resolved } from '../names/aliases.ts';
import { markOf } from '../log/copy-mark.ts';
import { removedPath } from '../log/removed-path.ts';

type CallOf<O extends FileSystemCall['op']> = Extract<FileSystemCall, { op: O }>;

/**
 * Attempts create, mkdir or symlink: logs the update and answers with the attributes of the new
 * vnode. The call waits where no vnode number is left for the volume (rule I3).
 */
export function attemptMake(
  state: ClientState,
  call: CallOf<'create' | 'create-open' | 'mkdir' | 'symlink'>,
  since: RequestId,
): Attempt {
  const dir = resolved(state, call.dir);
  const { name, options } = call;
  const no = mayEnter(state, { dir, name }, options.observed === true, since);
  if (no !== null) return no;
  const unseen = mayMount(state, dir, options.mounts);
  if (unseen !== null) return unseen;
  const fid = takeFid(state, volumeOf(dir));
  // Numbers come with the right to write: what is made here without either can not even be queued.
  if (fid === null) return mayWrite(state, dir) ?? waitFor(blocksKey(volumeOf(dir)));
  const at = options.at ?? wallMtime(state);
  const mark = markOf(name, options.copyOf);
  const common = { fid, dir, name, at, mtime: options.mtime ?? at, ...mark };
  if (call.op === 'symlink') {
    logUpdate(state, { op: 'symlink', ...common, target: call.target });
  } else {
    const { mode, xattrs, mounts } = call.options;
    const about = { ...common, mode, xattrs: xattrs ?? [] };
    const shows = mounts === undefined ? {} : { mounts };
    if (call.op === 'mkdir') logUpdate(state, { op: 'mkdir', ...about, ...shows });
    else logUpdate(state, { op: 'create', ...about });
  }
  const made = attributesAfter(state, fid);
  state.calls.notes.keep(options.note, fid, made.version);
  return done(made);
}

/** Rule M2: only what this device sees is mounted, and no volume in itself. Null: it may be. */
function mayMount(state: ClientState, dir: Fid, mounts: VolumeId | undefined): Attempt | null {
  if (mounts === undefined) return null;
  if (mounts === volumeOf(dir)) return refused('cycle', 'a volume can not be mounted in itself');
  const isSeen = state.names.volumes.rightsIn(mounts) !== null;
  return isSeen ? null : refused('no-such-volume', 'this device sees no such volume');
}

/**
 * Attempts to give a vnode one more name: logs the link and answers with the new attributes.
 * Refuses a directory with `is-a-directory`. The call waits while a close of the file is under way.
 */
export function attemptLink(state: ClientState, call: CallOf<'link'>, since: RequestId): Attempt {
  const fid = resolved(state, call.fid);
  const place = { ...call.place, dir: resolved(state, call.place.dir) };
  const observed = call.options.observed !== undefined;
  const no = mayEnter(state, place, observed, since);
  if (no !== null) return no;
  if (!observed) {
    const found = presentStatus(state, fid, since);
    if ('kind' in found) return found;
    if (found.status.kind === 'directory') return refused('is-a-directory', `${fid} is a folder`);
    const other = isElsewhere(fid, place);
    if (other !== null) return other;
  }
  if (isBeingClosed(state, fid)) return waitFor(settledKey(fid));
  const at = call.options.at ?? wallMtime(state);
  logUpdate(state, { op: 'link', fid, ...place, at, ...markOf(place.name, undefined) });
  state.calls.notes.keep(call.options.note, call.fid);
  return done(attributesAfter(state, fid));
}

/**
 * Attempts remove or rmdir: checks kind, rights and emptiness in the view, then logs the removal. A
 * removal that a front end has observed on its disk skips these checks, but not that of the volume.
 */
export function attemptRemove(
  state: ClientState,
  call: CallOf<'remove' | 'rmdir'>,
  since: RequestId,
): Attempt {
  const place = { ...call.place, dir: resolved(state, call.place.dir) };
  const at = call.options.at ?? wallMtime(state);
  const seen = call.options.observed ?? null;
  if (seen !== null) {
    if (!state.names.volumes.has(volumeOf(seen.fid)))
      return refused('not-found', `${seen.fid} is unknown`);
    const removed = inObservation(state, seen, place);
    // The copy of what lost has one name, and stands for all that the file has on the disk: it goes with the last of them.
    const isCopy = state.names.aliases.get(seen.fid)?.kind === 'copied' && removed.fid !== seen.fid;
    if (isCopy && call.options.hasOtherNames === true) return done(null);
    if (isBeingClosed(state, removed.fid)) return waitFor(settledKey(removed.fid));
    if (unmounts(state, call, removed.fid)) {
      logUpdate(state, { op: 'rmdir', fid: removed.fid, ...removed.place, at, unmounts: true });
    } else logRemoval(state, call.op, removed.fid, removed.place, removed.base, at);
    state.calls.notes.keep(call.options.note, seen.fid);
    return done(null);
  }
  const target = presentEntry(state, place, since);
  if ('kind' in target) return target;
  const { fid, status } = target;
  const other = isOther(state, call.options.only, place.name, status);
  if (other !== null) return other;
  if (call.op === 'remove') {
    if (status.kind === 'directory') return refused('is-a-directory', `${place.name} is a folder`);
  } else {
    if (status.kind !== 'directory')
      return refused('not-a-directory', `${place.name} is no folder`);
    const isMount = isMountPoint(status);
    const no = isMount ? mayUnmount(call.options, place) : mustBeEmpty(state, fid, since);
    if (no !== null) return no;
    if (!isMount && call.options.unmounts === true) {
      return refused('not-found', `${place.name} is no mount point`);
    }
    const right = mayWrite(state, fid);
    if (right !== null) return right;
    const goes = isMount ? ({ unmounts: true } as const) : {};
    logUpdate(state, { op: 'rmdir', fid, ...place, at, ...goes });
    return done(null);
  }
  const right = mayWrite(state, fid);
  if (right !== null) return right;
  if (isBeingClosed(state, fid)) return waitFor(settledKey(fid));
  logRemoval(state, call.op, fid, place, status.version, at);
  return done(null);
}

/** A person has said of a mount point that is gone from the disk that it is to go. */
function unmounts(state: ClientState, call: CallOf<'remove' | 'rmdir'>, fid: Fid): boolean {
  if (call.op !== 'rmdir' || call.options.unmounts !== true) return false;
  const status = viewStatus(state, fid);
  return status !== undefined && isMountPoint(status);
}

function mayUnmount({ unmounts }: RemoveOptions, { name }: Place): Attempt | null {
  return unmounts === true ? null : refused('not-empty', `${name} shows a volume: unmount it`);
}

/** A vnode stays in its volume (rule M3: to another one it is copied). Null: the place is in that. */
function isElsewhere(fid: Fid, { dir }: Place): Attempt | null {
  if (volumeOf(fid) === volumeOf(dir)) return null;
  return refused('other-volume', 'that is in another volume');
}

/** What has a name is not what the caller means. null: it is, or any is meant. */
function isOther(
  state: ClientState,
  only: RemoveOptions['only'],
  name: string,
  status: VnodeStatus,
): Attempt | null {
  if (only === undefined) return null;
  if (resolved(state, only.fid) !== status.fid) {
    return refused('not-found', `${name} is something else by now`);
  }
  return only.version === status.version ? null : refused('exists', `${name} was written since`);
}

function logRemoval(
  state: ClientState,
  op: 'remove' | 'rmdir',
  fid: Fid,
  place: Place,
  base: number,
  at: Mtime,
): void {
  if (op === 'rmdir') return void logUpdate(state, { op, fid, ...place, at });
  const { attributes } = state.names;
  state.calls.removals.note(state.now, attributes.count, removedPath(state, place));
  logUpdate(state, { op, fid, ...place, base: dataVersion(base), at });
}

/**
 * Attempts a rename: checks both places in the view, then logs the rename. Refuses with `exists` if
 * `noReplace` is set and the name is taken, and with `cycle` a move of a directory into itself. A
 * rename that a front end has observed on its disk takes another path.
 */
export function attemptRename(
  state: ClientState,
  call: CallOf<'rename'>,
  since: RequestId,
): Attempt {
  const from = { ...call.from, dir: resolved(state, call.from.dir) };
  const to = { ...call.to, dir: resolved(state, call.to.dir) };
  if (call.options.moved !== undefined || call.options.observed !== undefined) {
    return observedRename(state, call, from, to);
  }
  const source = presentEntry(state, from, since);
  if ('kind' in source) return source;
  const folder = presentDirectory(state, to.dir, since);
  if ('kind' in folder) return folder;
  const other = isElsewhere(source.fid, to) ?? takesNothing(state, to.dir);
  if (other !== null) return other;
  const right = mayWrite(state, source.fid);
  if (right !== null) return right;
  const overFid = viewEntry(state, to.dir, to.name) ?? null;
  if (overFid !== null && call.options.noReplace === true) {
    return refused('exists', `there is a ${to.name} already`);
  }
  const { only } = call.options;
  if (only !== undefined && overFid === null) {
    return refused('not-found', `there is no ${to.name} any more`);
  }
  if (overFid === source.fid && only === undefined) return done(null);
  const isFolder = source.status.kind === 'directory';
  if (isFolder && isInside(state, to.dir, source.fid)) {
    return refused('cycle', `${from.name} can't be moved into itself`);
  }
  let over: { fid: Fid; base: ReturnType<typeof dataVersion> } | null = null;
  if (overFid !== null) {
    const target = presentStatus(state, overFid, since);
    if ('kind' in target) return target;
    const change = isOther(state, only, to.name, target.status);
    if (change !== null) return change;
    const targetIsFolder = target.status.kind === 'directory';
    if (targetIsFolder && !isFolder) return refused('is-a-directory', `${to.name} is a folder`);
    if (!targetIsFolder && isFolder) return refused('not-a-directory', `${to.name} is no folder`);
    if (isMountPoint(target.status)) return refused('not-empty', `${to.name} shows a volume`);
    const no = targetIsFolder ? mustBeEmpty(state, overFid, since) : null;
    if (no !== null) return no;
    over = { fid: overFid, base: target.status.version };
  }
  for (const fid of [source.fid, ...(over === null ? [] : [over.fid])]) {
    if (isBeingClosed(state, fid)) return waitFor(settledKey(fid));
  }
  logRename(state, source.fid, from, to, over, call.options);
  return done(null);
}

function observedRename(
  state: ClientState,
  call: CallOf<'rename'>,
  from: Place,
  to: Place,
): Attempt {
  const moved = call.options.moved ?? viewEntry(state, from.dir, from.name) ?? null;
  if (moved === null || !state.names.volumes.has(volumeOf(moved))) {
    return refused('not-found', `what was moved from ${from.name} is unknown`);
  }
  const source = inObservation(state, { fid: moved, base: null }, from);
  if (to.dir === source.fid) return refused('cycle', `${from.name} can't be moved into itself`);
  const seen = call.options.observed ?? null;
  const over = seen === null ? null : replaced(state, seen);
  for (const fid of [source.fid, ...(over === null ? [] : [over.fid])]) {
    if (isBeingClosed(state, fid)) return waitFor(settledKey(fid));
  }
  logRename(state, source.fid, source.place, to, over, call.options);
  if (source.adjustment !== null) state.conflict.adjustments.retarget(source.adjustment, to);
  state.calls.notes.keep(call.options.note, moved);
  return done(null);
}

function replaced(state: ClientState, seen: SeenVersion): { fid: Fid; base: DataVersion } {
  const { fid, base } = seen;
  const alias = state.names.aliases.get(fid);
  if (alias?.kind === 'merged') return { fid: alias.into, base };
  // What was replaced on the disk is the losing side; the server's stays, and what came over it takes another name.
  if (alias?.kind === 'copied') return { fid, base: dataVersion(0) };
  return { fid, base: baseOf(state, seen) };
}

function logRename(
  state: ClientState,
  fid: Fid,
  from: Place,
  to: Place,
  over: { fid: Fid; base: ReturnType<typeof dataVersion> } | null,
  { at = wallMtime(state), copyOf }: RenameOptions,
): void {
  if (over !== null) state.cache.pins.inherit(over.fid, fid);
  const group = over === null ? null : inheritedGroup(state, over.fid, fid);
  logUpdate(state, {
    op: 'rename',
    fid,
    fromDir: from.dir,
    fromName: from.name,
    toDir: to.dir,
    toName: to.name,
    over,
    at,
    ...markOf(to.name, copyOf),
  });
  if (group !== null) logSetattr(state, group);
}

/** What is renamed over a file of a group belongs to that (W3). A folder has its attributes on the disk. */
function inheritedGroup(
  state: ClientState,
  from: Fid,
  to: Fid,
): Parameters<typeof logSetattr>[1] | null {
  const [before, after] = [viewStatus(state, from), viewStatus(state, to)];
  if (before === undefined || after?.kind !== 'file') return null;
  if (state.config.frontEnd === 'folder' || groupOf(after) !== null) return null;
  const own = before.xattrs.filter(({ name }) => name === GROUP_XATTR);
  if (groupOf(before) === null) return null;
  const xattrs = [...after.xattrs, ...own].sort((a, b) => compareNames(a.name, b.name));
  return { op: 'setattr', fid: to, mode: null, mtime: null, xattrs };
}

/**
 * Attempts to change mode, modification time or extended attributes: logs the change and answers
 * with the new attributes. A change without any of these logs nothing.
 */
export function attemptSetattr(
  state: ClientState,
  given: Fid,
  change: AttributeChange,
  since: RequestId,
): Attempt {
  const isReplica = state.config.frontEnd === 'folder';
  const fid = isReplica ? inObservation(state, { fid: given, base: null }).fid : given;
  const target = resolved(state, fid);
  const known = isReplica && viewStatus(state, target) !== undefined;
  if (!known && !(isReplica && state.names.volumes.has(volumeOf(target)) && !state.session.isUp)) {
    const found = presentStatus(state, target, since);
    if ('kind' in found) return found;
  }
  const right = isReplica ? null : mayWrite(state, target);
  if (right !== null) return right;
  if (isBeingClosed(state, target)) return waitFor(settledKey(target));
  const { mode, mtime, xattrs } = change;
  if (mode !== undefined || mtime !== undefined || xattrs !== undefined) {
    logSetattr(state, {
      op: 'setattr',
      fid: target,
      mode: mode ?? null,
      mtime: mtime ?? null,
      xattrs: xattrs ?? null,
    });
    state.calls.notes.keep(change.note, target);
  }
  return done(attributesAfter(state, target));
}

/** Why no new entry may be made at a place; null: it may. */
function mayEnter(
  state: ClientState,
  place: Place,
  observed: boolean,
  since: RequestId,
): Attempt | null {
  if (observed) {
    const known = state.names.volumes.has(volumeOf(place.dir));
    return known ? null : refused('not-found', `${place.dir} is in no volume of this device`);
  }
  const found = presentDirectory(state, place.dir, since);
  if ('kind' in found) return found;
  const taken = (viewEntry(state, place.dir, place.name) ?? null) !== null;
  if (taken) return refused('exists', `there is a ${place.name} already`);
  return takesNothing(state, place.dir) ?? mayWrite(state, place.dir);
}

/** Rule M2: nothing is made in a mount point, for nobody would be shown it. Null: it is none. */
function takesNothing(state: ClientState, dir: Fid): Attempt | null {
  const why = refusesEntries(state, dir);
  return why === null ? null : refused('no-right', why);
}

function mayWrite(state: ClientState, fid: Fid): Attempt | null {
  const refusal = state.names.volumes.writeRefusal(volumeOf(fid));
  return refusal === null ? null : refused(refusal.code, refusal.message);
}

function presentEntry(state: ClientState, place: Place, since: RequestId) {
  const folder = presentDirectory(state, place.dir, since);
  if ('kind' in folder) return folder;
  const fid = viewEntry(state, place.dir, place.name) ?? null;
  if (fid === null) return refused('not-found', `there is no ${place.name}`);
  const found = presentStatus(state, fid, since);
  return 'kind' in found ? found : { fid, status: found.status };
}

function mustBeEmpty(state: ClientState, dir: Fid, since: RequestId): Attempt | null {
  if (!isUncommitted(state, dir)) {
    const found = presentDirectory(state, dir, since);
    if ('kind' in found) return found;
  }
  const empty = (viewEntries(state, dir) ?? []).length === 0;
  return empty ? null : refused('not-empty', 'the folder is not empty');
}

function isInside(state: ClientState, dir: Fid, ancestor: Fid): boolean {
  return chainOf(state, dir).includes(ancestor);
}
