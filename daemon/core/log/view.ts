/**
 * The view: the server's state as cached, with our queued updates over it (rule P5).
 *
 * It is computed from the base each time it is asked for, so a new base needs no repair of anything. An answered
 * update counts only where the base has not got to its commit.
 */
import { mountedVolume, mountTarget } from '../../../shared/model/mount-point.ts';
import { compareNames, utf8Length } from '../../../shared/model/names.ts';
import { parseFid, ROOT_VNODE, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { CommitNumber, DataVersion, VnodeStatus } from '../../../shared/model/vnode.ts';
import { commitNumber, dataVersion } from '../../../shared/model/vnode.ts';
import type { Attributes, Place, SyncState } from '../../../shared/ports/file-system.ts';
import type { ClientState } from '../state.ts';
import { effectOn, effectsOf, type Indexed } from './update-index.ts';
import type { LoggedUpdate } from './update-log.ts';
import type { Origin } from '../names/past-places.ts';

const SYMLINK_MODE = 0o777;

/** The status of a vnode in the view; `links` 0: gone. undefined: nothing is known of it here. */
export function viewStatus(state: ClientState, fid: Fid): VnodeStatus | undefined {
  let status = state.names.attributes.get(fid);
  for (const indexed of state.log.index.onVnode(fid)) {
    const entry = indexed as LoggedUpdate;
    if (entry.answer !== null && status !== undefined && status.commit >= entry.answer.commit) {
      continue;
    }
    // What is known of a vnode has its making in it, answered or not; one that was answered and is not known is gone.
    const isMaking = entry.update.fid === fid && madeBy(entry.update) !== null;
    if (isMaking && (status !== undefined || entry.answer !== null)) continue;
    status = withUpdate(status, fid, entry.update);
  }
  if (status?.links === 0) status = withNamesLeft(state, status);
  return status?.kind === 'directory' ? withEntryUpdates(state, status) : status;
}

/**
 * The base may have a removal of ours in it that is not answered yet, and taking its name away twice would hide a vnode that
 * has other names. Or somebody else has given another name to what a removal of ours, not answered yet, has by its old one.
 */
function withNamesLeft(state: ClientState, status: VnodeStatus): VnodeStatus {
  return { ...status, links: viewPlaces(state, status.fid).length };
}

/**
 * A directory with the updates of its entries that its status does not have in it already. The modification time is that of the last: what
 * is not answered comes after what is, and that in the order of its commits, which is not that of the log.
 */
function withEntryUpdates(state: ClientState, status: VnodeStatus): VnodeStatus {
  const { index } = state.log;
  const { fid } = status;
  const change = index.directoryChange(fid);
  if (change === null) return status;
  const answered = [...index.answeredIn(fid)] as LoggedUpdate[];
  if (answered.length === 0) {
    const version = dataVersion(status.version + change.count);
    return { ...status, mtime: change.lastAt, version };
  }
  const over = answered.filter((entry) => !isIn(status, entry));
  const count = change.count - answered.length + over.length;
  const last = lastUnanswered(state, fid) ?? over.reduce(laterCommit, undefined);
  const mtime = last !== undefined && 'at' in last.update ? last.update.at : status.mtime;
  return { ...status, mtime, version: dataVersion(status.version + count) };
}

/** Of the updates of its entries. */
function lastUnanswered({ log: { index } }: ClientState, dir: Fid): Indexed | undefined {
  if (index.unansweredIn(dir) === 0) return undefined;
  return [...index.inDirectory(dir)].findLast(({ state }) => state !== 'answered');
}

function laterCommit(last: LoggedUpdate | undefined, next: LoggedUpdate): LoggedUpdate {
  return (next.answer?.commit ?? 0) >= (last?.answer?.commit ?? 0) ? next : (last ?? next);
}

/** A status may have a committed change in it before the entries of the directory have. */
function isIn(status: VnodeStatus, { answer }: LoggedUpdate): boolean {
  if (answer === null) return false;
  if (status.commit >= answer.commit) return true;
  return answer.touched.some(({ fid, after }) => fid === status.fid && status.version >= after);
}

/** The status of a vnode after one more update. */
export function withUpdate(
  status: VnodeStatus | undefined,
  fid: Fid,
  update: Update,
): VnodeStatus | undefined {
  if (update.fid !== fid) {
    // A rename over this vnode takes one of its names.
    return status === undefined ? undefined : { ...status, links: Math.max(status.links - 1, 0) };
  }
  const made = madeBy(update);
  if (made !== null) return made;
  if (status === undefined) return undefined;
  switch (update.op) {
    case 'store':
      return {
        ...status,
        size: update.size,
        digest: update.digest,
        mtime: update.mtime,
        version: dataVersion(update.base + 1),
      };
    case 'setattr':
      return {
        ...status,
        mode: update.mode ?? status.mode,
        mtime: update.mtime ?? status.mtime,
        xattrs: update.xattrs ?? status.xattrs,
      };
    case 'link':
      return { ...status, links: status.links + 1 };
    case 'remove':
      return { ...status, links: Math.max(status.links - 1, 0) };
    case 'rmdir':
      return { ...status, links: 0 };
    default:
      return status;
  }
}

/** The status of a vnode as an update makes it, or null where it makes none. */
export function madeBy(update: Update): VnodeStatus | null {
  const common = { fid: update.fid, version: dataVersion(0), commit: commitNumber(0), links: 1 };
  switch (update.op) {
    case 'create':
    case 'mkdir':
      return {
        ...common,
        kind: update.op === 'create' ? 'file' : 'directory',
        mode: update.mode,
        mtime: update.mtime,
        size: 0,
        digest: null,
        target:
          update.op === 'mkdir' && update.mounts !== undefined ? mountTarget(update.mounts) : null,
        xattrs: update.xattrs,
      };
    case 'symlink':
      return {
        ...common,
        kind: 'symlink',
        mode: SYMLINK_MODE,
        mtime: update.mtime,
        size: utf8Length(update.target),
        digest: null,
        target: update.target,
        xattrs: [],
      };
    default:
      return null;
  }
}

/** What a name stands for in the view. undefined: the directory is not known here. */
export function viewEntry(state: ClientState, dir: Fid, name: string): Fid | null | undefined {
  const base = state.names.directories.get(dir);
  const last = state.log.index.onEntry(dir, name).at(-1) as LoggedUpdate | undefined;
  const counts = last !== undefined && !isInEntries(last, base);
  const effect = counts ? effectOn(last.update, dir, name) : undefined;
  if (effect !== undefined) return effect;
  if (base !== undefined) return base.entries.get(name) ?? null;
  return isMadeHere(state, dir) ? null : undefined;
}

/** What a name leads to that the server told alone, with this status of its directory (names/names-alone.ts), under our own updates of it. */
export function viewNameAlone(
  state: ClientState,
  dir: VnodeStatus,
  name: string,
  told: Fid | null,
): Fid | null {
  const last = state.log.index.onEntry(dir.fid, name).at(-1) as LoggedUpdate | undefined;
  if (last === undefined || isIn(dir, last)) return told;
  const effect = effectOn(last.update, dir.fid, name);
  return effect === undefined ? told : effect;
}

/** What a name leads to that was told alone, beside what is known of its directory now; that may have changed at the server. */
function knownAlone(state: ClientState, dir: Fid, name: string): Fid | null | undefined {
  const status = state.names.attributes.get(dir);
  if (status === undefined) return undefined;
  const told = state.names.directories.alone.get(dir, status.version, name);
  return told === undefined ? undefined : viewNameAlone(state, status, name, told);
}

/** A committed update that the base has got to does not count over it any more. */
function isInEntries(
  entry: LoggedUpdate,
  base: { readonly asOf: CommitNumber } | undefined,
): boolean {
  return entry.answer !== null && base !== undefined && base.asOf >= entry.answer.commit;
}

/** The entries of a directory in the view, in code-unit order. undefined: it is not known here. */
export function viewEntries(state: ClientState, dir: Fid): Array<[string, Fid]> | undefined {
  const base = state.names.directories.get(dir);
  if (base === undefined && !isMadeHere(state, dir)) return undefined;
  const entries = new Map(base?.entries);
  for (const [name, last] of state.log.index.namesTouched(dir)) {
    if (isInEntries(last as LoggedUpdate, base)) continue;
    const effect = effectOn(last.update, dir, name);
    if (effect === undefined || effect === null) entries.delete(name);
    else entries.set(name, effect);
  }
  return [...entries].sort((a, b) => compareNames(a[0], b[0]));
}

/** A vnode that the server has not got yet: all there is of it is in the log. */
export function isMadeHere(state: ClientState, fid: Fid): boolean {
  const first = state.log.index.onVnode(fid)[0];
  return first !== undefined && madeBy(first.update) !== null && first.update.fid === fid;
}

/** Whether the vnode was made here and the server has not confirmed it, neither by an answer nor by a status. */
export function isUncommitted(state: ClientState, fid: Fid): boolean {
  if (state.names.attributes.get(fid) !== undefined) return false;
  const first = state.log.index.onVnode(fid)[0];
  return isMadeHere(state, fid) && first?.state !== 'answered';
}

/** The names of a vnode in the view, as far as they are known, in a defined order. */
export function viewPlaces(state: ClientState, fid: Fid): Place[] {
  const places = new Map<string, Place>();
  const consider = (place: Place): void => {
    const { dir, name } = place;
    const listed = viewEntry(state, dir, name);
    const found = listed === undefined ? knownAlone(state, dir, name) : listed;
    if (found === fid) places.set(`${dir}/${name}`, place);
  };
  state.names.directories.placesOf(fid).forEach(consider);
  for (const { update } of state.log.index.onVnode(fid)) effectsOf(update).forEach(consider);
  return [...places.values()].sort(
    (a, b) => compareNames(a.dir, b.dir) || compareNames(a.name, b.name),
  );
}

export function isRoot(fid: Fid): boolean {
  return parseFid(fid)?.vnode === ROOT_VNODE;
}

const DEEPEST = 4096;

/** The directories above a directory, innermost first, itself included. Ends where the view knows no more. */
export function chainOf(state: ClientState, dir: Fid): Fid[] {
  return climb(dir, (at) => viewPlaces(state, at)[0]).ancestors;
}

function climb(
  dir: Fid,
  placeOf: (fid: Fid) => Place | undefined,
): { readonly ancestors: Fid[]; readonly above: string[] } {
  const [chain, names]: [Fid[], string[]] = [[], []];
  const seen = new Set<Fid>();
  for (let at: Fid | undefined = dir; at !== undefined && !seen.has(at);) {
    chain.push(at);
    seen.add(at);
    if (isRoot(at) || chain.length >= DEEPEST) break;
    const place: Place | undefined = placeOf(at);
    if (place !== undefined) names.push(place.name);
    at = place?.dir;
  }
  return { ancestors: chain, above: names };
}

/**
 * Where a vnode is in the view, or else at the server, where this laptop has removed it, or else was last. undefined: no name of it is known here, nor
 * was one.
 */
export function lastPlace(state: ClientState, fid: Fid): Place | undefined {
  const { directories } = state.names;
  return viewPlaces(state, fid)[0] ?? directories.placesOf(fid)[0] ?? directories.past.get(fid);
}

/** A place with the directories above it, as they are in the view or were last. */
export function originAt(state: ClientState, place: Place): Origin {
  return { place, ...climb(place.dir, (at) => lastPlace(state, at)) };
}

/** A path for people, from the volume's root. Of a folder that is gone it is the last one; what is not known shows as its fid. */
export function pathOf(state: ClientState, place: Place): string {
  const names = [place.name];
  const seen = new Set<Fid>();
  for (let dir = place.dir; !isRoot(dir) && !seen.has(dir) && seen.size < DEEPEST;) {
    seen.add(dir);
    const above = lastPlace(state, dir);
    names.push(above?.name ?? dir);
    if (above === undefined) break;
    dir = above.dir;
  }
  return names.reverse().join('/');
}

/** The newest store of a vnode in the log, answered or not. */
export function lastStore(state: ClientState, fid: Fid): LoggedUpdate | undefined {
  const found = state.log.index.onVnode(fid).findLast((entry) => entry.update.op === 'store');
  return found as LoggedUpdate | undefined;
}

/** The version a vnode has in the view. */
export function viewVersion(state: ClientState, fid: Fid): DataVersion {
  return viewStatus(state, fid)?.version ?? dataVersion(0);
}

/** Whether a vnode is committed, has queued updates, or waits for a conflict repair. */
function syncState(state: ClientState, fid: Fid): SyncState {
  if (state.conflict.adjustments.size > 0 && state.conflict.adjustments.holdsVnode(fid))
    return 'conflict';
  const queued = state.log.index.onVnode(fid).some((entry) => entry.state !== 'answered');
  return queued ? 'queued' : 'committed';
}

/**
 * Makes the attributes that calls answer with from a status of the view: whether it is cached,
 * synced, behind, pinned or excluded.
 */
export function attributesOf(state: ClientState, status: VnodeStatus): Attributes {
  const { fid } = status;
  const isBehind = state.sharing.behind.has(fid) && !state.isPromised(fid);
  const told = isBehind ? ({ behind: true } as const) : {};
  const pinned = pinOf(state, fid) === null ? {} : ({ pinned: true } as const);
  const cached = hasContents(state, status);
  const excluded = excludedAbove(state, fid) === null ? {} : ({ excluded: true } as const);
  return { ...status, cached, sync: syncState(state, fid), ...told, ...pinned, ...excluded };
}

function hasContents(state: ClientState, status: VnodeStatus): boolean {
  if (status.kind !== 'file') return true;
  const store = lastStore(state, status.fid);
  if (store !== undefined || isUncommitted(state, status.fid)) return true;
  if (state.cache.files.find(status) !== null) return true;
  if (state.config.frontEnd !== 'folder' || state.cache.isPlaceholder(status.fid)) return false;
  const volume = state.names.volumes.get(Number(status.fid.split('.')[0]) as never);
  return status.digest !== null && (volume?.applied ?? 0) >= status.commit;
}

/**
 * The pin that keeps the contents of a vnode: its own, or that of the nearest folder above it. null: there is none. A folder may have two names
 * here, where one of two listings has not heard of its move: both count, for what is pinned is sought down from the pin, through whichever of them
 * is there (prefetch/pinned-files.ts), and what is fetched for a pin must not be let go for want of one.
 */
export function pinOf(state: ClientState, fid: Fid): Fid | null {
  const {
    cache: { pins },
  } = state;
  if (pins.size === 0) return null;
  const seen = new Set([fid]);
  // It grows meanwhile.
  for (const at of seen) {
    if (pins.has(at)) return at;
    for (const { dir } of viewPlaces(state, at)) seen.add(dir);
  }
  return null;
}

/** The folder, itself or above it, that a person has excluded; null: there is none, so it is kept. */
export function excludedAbove(state: ClientState, fid: Fid): Fid | null {
  const { excluded } = state.cache;
  if (excluded.size === 0) return null;
  const seen = new Set([fid]);
  // It grows meanwhile.
  for (const at of seen) {
    if (excluded.has(at)) return at;
    const above = viewPlaces(state, at);
    for (const { dir } of above) seen.add(dir);
    if (above.length > 0) continue;
    for (const mark of excluded.all()) if (shows(state, mark, at)) return mark;
  }
  return null;
}

/** It is a mount point that shows the volume with this root. */
function shows(state: ClientState, fid: Fid, root: Fid): boolean {
  const status = viewStatus(state, fid);
  return status !== undefined && mountedVolume(status) === volumeOf(root);
}
