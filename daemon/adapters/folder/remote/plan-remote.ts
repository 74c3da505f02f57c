/**
 * Plans how rows of the feed are put in place: held rows and records in, actions on the disk out. Pure.
 *
 * Rows that belong together (a rename frees one name and sets another) go together or wait together. They wait while
 * 1. an own update of the vnode or the entry is queued: the answer comes later (feed contract 3). Where none comes, and the disk does not show what
 *    was to be stored, the row is put in place: the file is not missing, or as it was long ago;
 * 2. the name is ours and the feed has not shown that yet: the row is older than what we did;
 * 3. the file has no contents yet (rule W2), or its directory is not in place; what has the name and goes elsewhere does not wait for that;
 * 4. the place is ignored here, or what has the name is to leave the disk first (take-out.ts);
 * 5. it takes away a mount point, and the volume is kept in that directory still;
 * 6. it takes something from a directory that was renamed here, and that is not answered.
 */
import type { EntryChange } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { isMountPoint } from '../../../../shared/model/mount-point.ts';
import { compareNames } from '../../../../shared/model/names.ts';
import type { Update } from '../../../../shared/model/update.ts';
import { lacksContents, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { plainMode } from '../disk/disk-facts.ts';
import { isParked } from '../disk/own-directory.ts';
import { placeKey, type FolderRecords, type VnodeRecord } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import { NameOrder } from '../records/order-names.ts';
import { sameXattrs } from '../disk/xattrs.ts';

export type DiskAction =
  | { readonly do: 'park'; readonly fid: Fid; readonly from: Place }
  /** `from` null: from a place where it is parked by then. `over`: what has the name now goes in the same step. */
  | {
      readonly do: 'move';
      readonly fid: Fid;
      readonly from: Place | null;
      readonly to: Place;
      readonly over: Fid | null;
    }
  | { readonly do: 'remove' | 'rmdir'; readonly fid: Fid; readonly place: Place }
  | {
      readonly do: 'make' | 'make-placeholder';
      readonly status: VnodeStatus;
      readonly place: Place;
    }
  | { readonly do: 'link'; readonly fid: Fid; readonly place: Place }
  | { readonly do: 'contents' | 'attributes' | 'renew-placeholder'; readonly status: VnodeStatus };

export interface RemoteContext {
  pendingVnode(fid: Fid): boolean;
  /** As `Feed.blocked`. */
  blocked(fid: Fid): readonly Update[] | null;
  /** The feed has a later row of it on its way. */
  isOutdated(status: VnodeStatus): boolean;
  pendingEntry(dir: Fid, name: string): boolean;
  isIgnored(path: readonly string[], isDirectory: boolean): boolean;
  /** The path lies on a disk that is not there. */
  isAway(path: readonly string[]): boolean;
  /** Another volume is kept in the directory, which is to go: that leaves first. */
  isInUse(dir: Fid): boolean;
  /** The row names something where it is not to be on this disk (rule X2): that stays among those that are held. */
  isOut(row: EntryChange): boolean;
  /** A recorded vnode that such a row names: it leaves the disk by itself. */
  isMovedOut(fid: Fid): boolean;
  /** The disk can't have it. `isLink`: a further name of what has one. */
  isKeptOut(row: EntryChange, isLink: boolean): boolean;
  /** Its contents can't be had just now: gone on the server for a newer version, damaged, or no room here. */
  isUnavailable(status: VnodeStatus): boolean;
  /** It is to be in place with its contents; else a placeholder stands for it. `place`: where it is about to be put. */
  isFull(status: VnodeStatus, place: Place | null): boolean;
}

export interface RemoteStart {
  readonly vnodes: Iterable<Fid>;
  readonly entries: Iterable<Place>;
}

/** Places in which names of a vnode are parked. */
export function parkedPlaces(fid: Fid, records: FolderRecords): Place[] {
  return records.names(fid).filter(isParked);
}

/** The actions for these held rows and those they go with. Rows that need nothing are found done by `isShown`. */
export function planRemote(
  start: RemoteStart,
  held: HeldRows,
  records: FolderRecords,
  context: RemoteContext,
): DiskAction[] {
  const planned = new Set<string>();
  const actions: DiskAction[] = [];
  const fids = new Set<Fid>(start.vnodes);
  for (const place of start.entries) {
    const row = held.entry(place.dir, place.name);
    if (row === null || planned.has(placeKey(place.dir, place.name))) continue;
    const rows = together(row, held, records);
    for (const each of rows) {
      planned.add(placeKey(each.dir, each.name));
      if (each.fid !== null) fids.add(each.fid);
    }
    const here = rows.filter((each) => !context.isOut(each));
    const wanted = withoutKeptOut(here, records, context);
    const ready = wanted.map((each) => (isLeft(each, rows, held, records) ? free(each) : each));
    const mayGo = ready.every((each) => !mustWait(each, ready, held, records, context));
    if (mayGo && ready.every((each) => !isInUse(each, ready, records, context))) {
      actions.push(...planNames(ready, held, records, context));
    }
  }
  const early: DiskAction[] = [];
  const renamed = new Set(
    actions.flatMap((each) => (each.do === 'move' || each.do === 'link' ? [each.fid] : [])),
  );
  for (const fid of fids) {
    const action = planVnode(fid, held, records, context);
    if (action === null) continue;
    // Under its new name it is never shown as it was under the old one.
    (action.do === 'contents' && renamed.has(fid) ? early : actions).push(action);
  }
  return [...early, ...actions];
}

/** The rows that share a vnode with this one, by what they name or by what has their name now. */
function together(row: EntryChange, held: HeldRows, records: FolderRecords): EntryChange[] {
  const rows = new Map<string, EntryChange>();
  const fids = new Set<Fid>();
  const open: EntryChange[] = [row];
  const visit = (fid: Fid): void => {
    if (fids.has(fid)) return;
    fids.add(fid);
    open.push(...held.entriesNaming(fid));
    for (const { dir, name } of records.names(fid)) add(held.entry(dir, name));
    // What is in a directory that goes, goes before it.
    if (held.vnode(fid)?.links === 0) {
      for (const [name] of records.entries(fid)) add(held.entry(fid, name));
    }
  };
  const add = (found: EntryChange | null): void => {
    if (found !== null) open.push(found);
  };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const key = placeKey(next.dir, next.name);
    if (rows.has(key)) continue;
    rows.set(key, next);
    if (next.fid !== null) visit(next.fid);
    const there = records.at(next.dir, next.name);
    if (there !== null) visit(there);
  }
  return [...rows.values()].sort(
    (a, b) => compareNames(a.dir, b.dir) || compareNames(a.name, b.name),
  );
}

/**
 * New names that the disk can't have hold nothing up: their rows stay among those that are held. What would be moved to one stays where it is,
 * with all that belongs to it.
 */
function withoutKeptOut(
  rows: readonly EntryChange[],
  records: FolderRecords,
  context: RemoteContext,
): EntryChange[] {
  const named = new Set<Fid>();
  return rows.filter((row) => {
    const { dir, name, fid } = row;
    if (fid === null || records.at(dir, name) === fid) return true;
    const isLink = named.has(fid) || staysNamed(fid, rows, records);
    const isMoved = !isLink && records.has(fid);
    if (!isMoved && context.isKeptOut(row, isLink)) return false;
    named.add(fid);
    return true;
  });
}

/** It has a name that no row takes away. */
function staysNamed(fid: Fid, rows: readonly EntryChange[], records: FolderRecords): boolean {
  return records
    .names(fid)
    .some(
      (place) =>
        !isParked(place) &&
        !rows.some((row) => row.dir === place.dir && row.name === place.name && row.fid !== fid),
    );
}

/**
 * What is to have the name has no contents yet, and what has it goes elsewhere: that need not wait, for nobody may ever store the other (the
 * laptop that made it was killed). What is replaced or removed stays until then: the name is not missed meanwhile.
 */
function isLeft(
  { dir, name, fid }: EntryChange,
  rows: readonly EntryChange[],
  held: HeldRows,
  records: FolderRecords,
): boolean {
  const there = records.at(dir, name);
  if (fid === null || there === null || there === fid || records.has(fid)) return false;
  const status = held.vnode(fid);
  if (status === null || !lacksContents(status)) return false;
  return rows.some((row) => row.fid === there && records.at(row.dir, row.name) !== there);
}

/** For now. Its row stays among those that are held. */
const free = (row: EntryChange): EntryChange => ({ ...row, fid: null });

function mustWait(
  row: EntryChange,
  rows: readonly EntryChange[],
  held: HeldRows,
  records: FolderRecords,
  context: RemoteContext,
): boolean {
  const { dir, name, fid } = row;
  if (context.pendingEntry(dir, name)) return true;
  const there = records.at(dir, name);
  if (there === fid) return false;
  if (there !== null && context.isMovedOut(there)) return true;
  const way = records.pathOfPlace(row);
  if (way !== null && context.isAway(way)) return true;
  if (records.isOwn(dir, name)) return true;
  if (there !== null && !records.mountPoints.has(there) && isInRenamed(dir, records, context)) {
    return true;
  }
  if (fid === null) return false;
  if (records.wasFreed(dir, name, fid)) return true;
  const isMade = rows.some((other) => other.fid === dir);
  const path = records.pathOf(dir);
  if (path === null) return !isMade;
  const status = held.vnode(fid);
  const kind = records.get(fid)?.kind ?? status?.kind;
  if (context.isIgnored([...path, name], kind === 'directory')) return true;
  if (records.has(fid)) return !staysNamed(fid, rows, records) && context.isKeptOut(row, false);
  if (status === null || status.links === 0 || lacksContents(status)) return true;
  if (context.pendingVnode(fid) && context.blocked(fid) === null) return true;
  return context.isUnavailable(status) && context.isFull(status, { dir, name });
}

/**
 * A directory above got a name here, and the answer to that is to come: if others removed that directory, what is in it stays with it
 * (stays-as-new.ts).
 */
function isInRenamed(dir: Fid, records: FolderRecords, context: RemoteContext): boolean {
  for (let at = dir; at !== records.root;) {
    const [place] = records.names(at);
    if (place === undefined) return false;
    const isRenamed = records.isOwn(place.dir, place.name);
    if (isRenamed && context.pendingVnode(at) && context.blocked(at) === null) return true;
    at = place.dir;
  }
  return false;
}

/** The row takes away a directory in which another volume is kept. */
function isInUse(
  { dir, name, fid }: EntryChange,
  rows: readonly EntryChange[],
  records: FolderRecords,
  context: RemoteContext,
): boolean {
  const there = records.at(dir, name);
  if (there === null || there === fid || rows.some((row) => row.fid === there)) return false;
  return records.mountPoints.has(there) && context.isInUse(there);
}

function planNames(
  rows: readonly EntryChange[],
  held: HeldRows,
  records: FolderRecords,
  context: RemoteContext,
): DiskAction[] {
  const actions: DiskAction[] = [];
  const order = new NameOrder(records, {
    park: ({ fid }, from) => actions.push({ do: 'park', fid, from: from as Place }),
    move: ({ fid, to }, from, over) =>
      actions.push({ do: 'move', fid, from: from as Place | null, to: to as Place, over }),
    remove: ({ fid, dir, name, isDirectory }) =>
      actions.push({ do: isDirectory ? 'rmdir' : 'remove', fid, place: { dir, name } as Place }),
    add: ({ ref, dir, name, isLink }) => {
      const place = { dir, name } as Place;
      const status = held.vnode(ref as Fid);
      if (isLink) actions.push({ do: 'link', fid: ref as Fid, place });
      else if (status !== null) {
        const how = context.isFull(status, place) ? 'make' : 'make-placeholder';
        actions.push({ do: how, status, place });
      }
    },
  });
  const lost = new Map<Fid, Place[]>();
  for (const { dir, name, fid } of rows) {
    const there = records.at(dir, name);
    if (there === null || there === fid) continue;
    lost.set(there, [...(lost.get(there) ?? []), { dir, name }]);
  }
  const made = new Set<Fid>();
  const parked = new Map<Fid, Place[]>();
  for (const { dir, name, fid } of rows) {
    if (fid === null || records.at(dir, name) === fid) continue;
    const isDirectory = records.get(fid)?.kind === 'directory';
    const left = parked.get(fid) ?? parkedPlaces(fid, records);
    parked.set(fid, left);
    const from = left.shift() ?? lost.get(fid)?.shift();
    if (from !== undefined) order.addMove({ fid, from, to: { dir, name }, isDirectory });
    else {
      const isLink = records.has(fid) || made.has(fid);
      // A directory has one name: the row that takes the other away is still to come.
      if (isLink && (isDirectory || held.vnode(fid)?.kind === 'directory')) continue;
      made.add(fid);
      order.addName({ ref: fid, dir, name, isLink });
    }
  }
  for (const [fid, places] of lost) {
    const isDirectory = records.get(fid)?.kind === 'directory';
    for (const place of places) order.addRemoval({ fid, ...place, isDirectory });
  }
  order.tellNames();
  order.tellRemovals();
  return actions;
}

function planVnode(
  fid: Fid,
  held: HeldRows,
  records: FolderRecords,
  context: RemoteContext,
): DiskAction | null {
  const status = held.vnode(fid);
  const record = records.get(fid);
  if (status === null || record === null || status.links === 0) return null;
  if (context.pendingVnode(fid) && !isNotShown(context.blocked(fid), record)) return null;
  if (lacksContents(status)) return null;
  const isFull = record.placeholder !== true || context.isFull(status, null);
  const isFilled = isFull && record.placeholder === true;
  if (isShown(status, record) && !isFilled) return null;
  const names = records.names(fid);
  if (names.length > 0 && names.every((place) => context.isOut({ ...place, fid }))) return null;
  // Its time is that of our own entries, which come later in the feed.
  if (records.hasOwnIn(fid)) return null;
  // A vnode in an ignored place, or on a disk that is not there, is left as it is. Where a further name is parked, it is on its way.
  const isIgnored = records.names(fid).some((place) => {
    const path = records.pathOfPlace(place);
    if (path === null || isParked(place)) return false;
    return context.isAway(path) || context.isIgnored(path, record.kind === 'directory');
  });
  if (isIgnored) return null;
  if (!isFull) return { do: 'renew-placeholder', status };
  const isOther = record.kind === 'file' && (status.digest !== record.digest || isFilled);
  if (isOther && context.isUnavailable(status)) return null;
  // A mode of before our own change, whose row is still to come, would be shown for a moment; and what its user does then would not show.
  if (!isOther && context.isOutdated(status)) return null;
  return { do: isOther ? 'contents' : 'attributes', status };
}

/** Nothing but stores that are blocked, and the disk has other contents: they were put aside. */
function isNotShown(blocked: readonly Update[] | null, { digest }: VnodeRecord): boolean {
  return blocked?.every((update) => update.op === 'store' && update.digest !== digest) === true;
}

/** The row needs nothing more: the folder shows it, or already something newer of ours. */
export function isShown(status: VnodeStatus, record: VnodeRecord): boolean {
  // On the disk they are those of the volume that it shows.
  if (isMountPoint(record)) return true;
  if (status.kind === 'file' && status.version < record.version) return true;
  if (
    status.kind === 'file' &&
    (status.digest !== record.digest || status.version !== record.version)
  ) {
    return false;
  }
  // A link's mode is its system's own, and it has no attributes.
  if (status.kind === 'symlink') return status.mtime === record.mtime;
  return (
    plainMode(status.mode) === plainMode(record.mode) &&
    status.mtime === record.mtime &&
    sameXattrs(status.xattrs, record.xattrs)
  );
}
