/**
 * Runs remote plans: which rows can go now, with which contents, and what became of each. Rows that are in place are taken
 * from the held ones; what failed is said and tried again.
 */
import type { FreeDiskSpace } from '../../../../shared/model/cache.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { Disk } from '../disk/disk.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { apart } from './apart.ts';
import type { Source } from './put-parts.ts';
import { PendingRepairs } from './pending-repairs.ts';
import { contentsKey, type FetchedFile, type ContentsAhead } from './contents-ahead.ts';
import { isUntouched } from '../disk/disk-facts.ts';
import { CHANGED_HERE, inTheWay, isEmptied } from './in-the-way.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { AcrossDisks } from './across-disks.ts';
import type { Rooms } from '../disk/own-directories.ts';
import type { Disks } from '../disk/folder-disks.ts';
import type { ExcludedPlaces } from '../records/excluded-places.ts';
import type { FolderRecords, VnodeRecord } from '../records/folder-records.ts';
import type { FolderContents } from '../placeholders/kept-contents.ts';
import type { HeldRows } from '../records/held-rows.ts';
import { KeptOutNames, nearestPlaced } from './kept-out.ts';
import type { IgnoreRules } from '../local/ignore-rules.ts';
import {
  isShown,
  parkedPlaces,
  planRemote,
  type DiskAction,
  type RemoteStart,
} from './plan-remote.ts';
import { PlacingErrors } from './placing-errors.ts';
import type { PutInPlace } from './put-in-place.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import { PathChanged, Blocked } from '../disk/path-changed.ts';
import { UnavailableContents, type Occasion } from './unavailable-contents.ts';
import type { Unplaced } from './unplaced.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';

export interface ApplyPlanParts {
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly ahead: ContentsAhead;
  readonly put: PutInPlace;
  readonly volume: VolumeId;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly limits: Pick<FolderLimits, 'retry' | 'retryMost'>;
  /** Of the disk of the folder; left out: nobody knows. */
  readonly diskRoom?: (() => FreeDiskSpace) | undefined;
  readonly files: Disk;
  readonly root: SafeRoot;
  readonly ignored: IgnoreRules;
  readonly board: ErrorBoard;
  readonly disks: Disks;
  readonly rooms: Rooms;
  readonly across: AcrossDisks;
  /** What is not in place, and why. */
  readonly unplaced: Unplaced;
  readonly contents: Pick<FolderContents, 'isFull' | 'isWanted' | 'settled'>;
  readonly events: FolderEvents;
  readonly dirty: Pick<DirtyPaths, 'has'>;
  readonly mounts: { isMountPoint(path: readonly string[]): boolean };
  readonly excluded: Pick<ExcludedPlaces, 'isOut' | 'isMovedOut'>;
  readonly mountPoints: { isInUse(dir: Fid): boolean };
  /** The path lies on a disk that is not there: it waits for that. */
  readonly isAway: (path: readonly string[]) => boolean;
}

/** Runs a plan of remote changes and keeps account of what is in place and what failed. */
export class ApplyPlan {
  readonly #parts: ApplyPlanParts;
  readonly #unavailable: UnavailableContents;
  /** Contents found at their place already. */
  readonly #there = new Map<string, Source | null>();
  readonly #unplaced: Unplaced;
  readonly #errors: PlacingErrors;
  readonly #keptOut: KeptOutNames;
  /** What is to be copied to another disk: in the place of which directory it gets there. */
  readonly #across = new Map<Fid, Fid>();

  readonly #opened: Fid[] = [];

  constructor(parts: ApplyPlanParts) {
    this.#parts = parts;
    this.#unplaced = parts.unplaced;
    const free = (): number | null => parts.diskRoom?.().free ?? null;
    this.#unavailable = new UnavailableContents(parts.clock, parts.limits, free);
    this.#errors = new PlacingErrors(parts);
    this.#keptOut = new KeptOutNames(parts, this.#unplaced);
  }

  /** Directories that are in place since this was asked last: what is in them may go now. */
  takeOpened(): Fid[] {
    return this.#opened.splice(0);
  }

  /** What failed may be tried again now. What is not held any more was in place when it failed, or is nobody's wish by now. */
  forgive(occasion: Occasion = 'time'): void {
    this.prune();
    if (this.#unavailable.forgiveDue(occasion)) this.#parts.events.emit('retryNeeded');
  }

  /** Nothing is said any more of what is not held any more. */
  prune(): void {
    this.#unplaced.keepOnly((fid) => this.#isHeld(fid));
    this.#keptOut.prune();
    this.#errors.prune((fid) => this.#isHeld(fid));
    this.#unavailable.prune((fid) => this.#isHeld(fid));
  }

  #isHeld(fid: Fid): boolean {
    const { held, records } = this.#parts;
    if (held.vnode(fid) !== null || held.entriesNaming(fid).length > 0) return true;
    return records.names(fid).some(({ dir, name }) => held.entry(dir, name) !== null);
  }

  /** Executes what can be executed. Returns the statuses whose contents are needed first. */
  run(start: RemoteStart): VnodeStatus[] {
    const { held, records, feed, ignored, volume, ahead, contents } = this.#parts;
    // What a conflict asks for comes before what the feed says of the same things.
    const repairs = new PendingRepairs(feed.adjustments(volume));
    const actions = planRemote(start, held, records, {
      pendingVnode: (fid) => repairs.concerns(fid) || feed.pendingVnode(fid),
      blocked: (fid) => (repairs.concerns(fid) ? null : feed.blocked(fid)),
      isOutdated: (status) => feed.isOutdated(status),
      pendingEntry: (dir, name) => repairs.isAt(dir, name) || feed.pendingEntry(dir, name),
      isIgnored: (path, isDirectory) => ignored.isIgnored(path, isDirectory),
      isAway: this.#parts.isAway,
      isInUse: (dir) => this.#parts.mountPoints.isInUse(dir),
      isOut: (row) => this.#parts.excluded.isOut(row),
      isMovedOut: (fid) => this.#parts.excluded.isMovedOut(fid),
      isKeptOut: (row, isLink) => this.#keptOut.isOut(row, isLink),
      isUnavailable: (status) => this.#unavailable.has(status),
      isFull: (status, place) => ahead.has(status) || contents.isFull(status, place),
    });
    const { wanted, missing } = this.#wanted(actions);
    const touched = new Set<Fid>(start.vnodes);
    const places: Place[] = [...start.entries];
    // Names of one plan build on each other: where contents are missing, they wait together.
    const ready = missing.size === 0 ? actions : apart(actions, missing);
    const without = new Set<Fid>();
    const failed = new Set<Fid>();
    for (const action of ready) {
      const fid = 'status' in action ? action.status.fid : action.fid;
      touched.add(fid);
      // Its new name waits for them.
      if ((action.do === 'move' || action.do === 'park') && without.has(fid)) continue;
      if (this.#execute(action, fid)) this.#placed(action, fid, failed.has(fid));
      else {
        failed.add(fid);
        if (action.do === 'contents') without.add(fid);
      }
      places.push(...held.entriesNaming(fid));
    }
    this.#settle(touched, places);
    if (this.#keptOut.size > 0 && ready.some(freesName)) this.#parts.events.emit('retryNeeded');
    return wanted;
  }

  /** What is to be brought first, and all that waits for something. */
  #wanted(actions: readonly DiskAction[]): { wanted: VnodeStatus[]; missing: Set<Fid> } {
    const wanted: VnodeStatus[] = [];
    const missing = new Set<Fid>();
    for (const action of actions) {
      const status = contentsOf(action);
      const moved = this.#movedAcross(action);
      if (status !== null && !this.#isHere(status, this.#diskFor(action, status.fid))) {
        missing.add(status.fid);
        wanted.push(status);
      } else if (moved !== null && !this.#parts.across.isReady(moved.fid, moved.dir)) {
        missing.add(moved.fid);
        this.#across.set(moved.fid, moved.dir);
        const known = statusOf(moved.record);
        if (!this.#unavailable.has(known)) wanted.push(known);
      }
    }
    return { wanted, missing };
  }

  /** What moves to another disk is copied there first. */
  #movedAcross(action: DiskAction): { fid: Fid; dir: Fid; record: VnodeRecord } | null {
    if (action.do !== 'move') return null;
    const { records, rooms } = this.#parts;
    const { fid, to } = action;
    const from = action.from ?? parkedPlaces(fid, records)[0] ?? records.names(fid)[0];
    const record = records.get(fid);
    const dir = nearestPlaced(to.dir, this.#parts);
    const isAcross = from !== undefined && rooms.diskOf(from.dir) !== rooms.diskOf(dir);
    return isAcross && record !== null ? { fid, dir, record } : null;
  }

  /** The directory on whose disk the contents are needed. */
  #dirFor(fid: Fid, place: Place | null): Fid {
    const { records, held } = this.#parts;
    const at = place ?? records.names(fid)[0] ?? held.entriesNaming(fid)[0];
    return at === undefined ? records.root : nearestPlaced(at.dir, this.#parts);
  }

  #diskFor(action: DiskAction, fid: Fid): string {
    return this.#parts.rooms.diskOf(this.#dirFor(fid, placeOf(action)));
  }

  /** What became of the contents of a vnode when they were obtained last; null: nothing was wrong. */
  failureOf(fid: Fid): unknown {
    return this.#unavailable.errorOf(fid);
  }

  /** Somebody asks for the contents: whatever failed before is tried again. */
  forgiveOne(fid: Fid): void {
    this.#unplaced.done(fid);
    this.#unavailable.forgive(fid);
  }

  /** Obtains contents, or finds them at their place. What can't be had is noted, so that the plan goes on without. */
  async prepare(statuses: readonly VnodeStatus[]): Promise<void> {
    const { ahead, board } = this.#parts;
    for (const status of statuses) {
      const path = this.#pathFor(status);
      const to = this.#across.get(status.fid);
      this.#across.delete(status.fid);
      this.#errors.trying(status.fid);
      try {
        if (to !== undefined) await this.#parts.across.bring(status.fid, to);
        const there = to === undefined ? await this.#lookThere(status, path) : null;
        if (there === undefined) {
          await ahead.ready(status, this.#parts.rooms.of(this.#dirFor(status.fid, null)));
        } else if (to === undefined) this.#there.set(contentsKey(status), there);
        board.clear('disk-full', null);
      } catch (error) {
        if (isAbort(error)) throw error;
        this.#note(status, path?.join('/') ?? null, error, to !== undefined);
      }
    }
  }

  #isHere(status: VnodeStatus, disk: string): boolean {
    return this.#there.has(contentsKey(status)) || this.#parts.ahead.has(status, disk);
  }

  /** False: it could not be done now. */
  #execute(action: DiskAction, fid: Fid): boolean {
    const { put, ahead } = this.#parts;
    const status = contentsOf(action);
    let source: Source | null = null;
    let taken: FetchedFile | null = null;
    if (status !== null) {
      source = this.#there.get(contentsKey(status)) ?? null;
      this.#there.delete(contentsKey(status));
      taken = source === null ? ahead.take(status) : null;
      if (taken !== null) source = { path: taken.path };
    }
    try {
      this.#makeWay(action, fid);
      put.run(action, source);
      if (action.do === 'make' && action.status.kind === 'directory') this.#opened.push(fid);
      return true;
    } catch (error) {
      const at = error instanceof Blocked ? error.path : null;
      const met = at ?? (error instanceof PathChanged ? error.at : null);
      if (met !== null) {
        if (taken !== null && status !== null) ahead.keep(status, taken);
        this.#met(action, fid, met);
        return false;
      }
      if (this.#keptOut.isRefused(placeOf(action), error)) {
        if (taken !== null) ahead.discard(taken.path);
        return false;
      }
      if (taken !== null && status !== null && !ahead.keep(status, taken)) {
        this.#unavailable.add(status, error);
        this.#unavailable.addFetched(status, error);
      }
      this.#errors.notDone(action, fid, error);
      return false;
    }
  }

  /** `isPart`: something else of the same vnode failed just now, and is said still. */
  #placed(action: DiskAction, fid: Fid, isPart: boolean): void {
    const newest = this.#parts.held.vnode(fid);
    // A new name or mode brings no contents.
    if (newest !== null && this.#unavailable.has(newest)) return;
    this.#unavailable.placed(fid);
    if (isPart) return this.#errors.clearAt(fid, this.#pathOf(action, fid));
    this.#errors.clear(fid);
    this.#unplaced.done(fid);
  }

  /** Where an action shows: at the name that it gives, or at that of its vnode. */
  #pathOf(action: DiskAction, fid: Fid): string | null {
    const to = placeOf(action);
    return (to && this.#parts.records.pathOfPlace(to)?.join('/')) ?? this.#errors.shownPath(fid);
  }

  /** A folder that was left over in its place goes when nothing is in it any more. */
  #makeWay(action: DiskAction, fid: Fid): void {
    const before = this.#unplaced.leftOverBefore(fid);
    const place = placeOf(action);
    if (before === null || place === null) return;
    try {
      const isEmpty = isEmptied(before.at.split('/'), before.inode, this.#parts);
      if (isEmpty) this.#parts.put.removeEmpty(place);
    } catch {
      // It has changed, or is not ours to change: then it is in the way still.
    }
  }

  /** Something is in the way: it is looked at, and where that finds nothing to log, it is said. */
  #met(action: DiskAction, fid: Fid, at: readonly string[]): void {
    const { events, dirty, root } = this.#parts;
    const path = this.#pathOf(action, fid);
    const where = at.join('/');
    const why = { commit: this.#errors.commitOf(fid), path, reason: CHANGED_HERE };
    const isLooked = !dirty.has(where);
    const stands = root.factsOrNull(at)?.inode ?? null;
    if (!this.#unplaced.met(fid, why, where, isLooked, stands)) {
      // A hint puts the look off: one that is due goes on.
      if (isLooked) events.emit('pathChanged', where);
      return;
    }
    this.#errors.taken(fid, path, inTheWay(at, this.#parts));
  }

  /** Takes away the held rows that are in place. */
  #settle(fids: ReadonlySet<Fid>, places: readonly Place[]): void {
    const { held, records, feed, contents } = this.#parts;
    for (const { dir, name } of places) {
      const row = held.entry(dir, name);
      if (row === null || records.at(dir, name) !== row.fid) continue;
      this.#keptOut.letIn({ dir, name });
      if (row.fid !== null) records.seen(row, held.vnode(row.fid), feed);
      else if (feed.pendingEntry(dir, name)) continue;
      held.doneEntry(dir, name);
    }
    for (const fid of fids) {
      const status = held.vnode(fid);
      if (status === null) continue;
      const record = records.get(fid);
      const isNamed = held.entriesNaming(fid).length > 0;
      if (record === null) {
        const isGone = status.links === 0 || (!isNamed && records.freedBy(fid).length === 0);
        if (isGone && !isNamed) held.doneVnode(fid);
      } else if (status.links > 0 && isShown(status, record) && !this.#isToFill(record)) {
        held.doneVnode(fid);
      }
      if (held.vnode(fid) !== null) continue;
      contents.settled(fid);
      this.#parts.ahead.letGo(fid);
    }
    for (const fid of fids) {
      if (this.#isHeld(fid)) continue;
      this.#unplaced.done(fid);
      this.#errors.clear(fid);
    }
  }

  #isToFill({ fid, placeholder }: VnodeRecord): boolean {
    return placeholder === true && this.#parts.contents.isWanted(fid);
  }

  /** undefined: fetch it. null: something else is there, so it need not be fetched yet. */
  async #lookThere(
    status: VnodeStatus,
    path: readonly string[] | null,
  ): Promise<Source | null | undefined> {
    const { root, records, files } = this.#parts;
    if (path === null) return undefined;
    const facts = root.facts(path.slice(0, -1), path.at(-1) ?? '');
    if (facts === null) return undefined;
    const disk = records.get(status.fid)?.disk ?? null;
    if (disk !== null && isUntouched(facts, disk)) return undefined;
    // In the way for now, but on its way out by this very plan.
    const occupant = records.byInode(facts.inode);
    if (disk === null && occupant !== null && occupant !== status.fid) return undefined;
    if (facts.kind !== 'file' || facts.size !== status.size) return null;
    try {
      const { digest } = await root.reading(path, (file) => files.digestFile(file));
      return digest === status.digest ? { there: facts } : null;
    } catch (error) {
      if (error instanceof PathChanged) return null;
      throw error;
    }
  }

  #pathFor(status: VnodeStatus): readonly string[] | null {
    const { records, held } = this.#parts;
    const place = records.names(status.fid)[0] ?? held.entriesNaming(status.fid)[0];
    return place === undefined ? null : records.pathOfPlace(place);
  }

  /** The volume has other contents by now, or is known to have a later row of it. */
  #isPassed(status: VnodeStatus): boolean {
    const { held, feed } = this.#parts;
    const newest = held.vnode(status.fid);
    if (newest === null || contentsKey(newest) !== contentsKey(status)) return true;
    return feed.isOutdated(newest);
  }

  #note(status: VnodeStatus, path: string | null, error: unknown, isMove: boolean): void {
    const code = error instanceof GodwitError ? error.code : null;
    this.#unavailable.add(status, error);
    // Gone for a newer one: its row is on the way. Where none is known of, it is missing as anything else.
    if (code === 'version-gone' && this.#isPassed(status)) {
      return this.#parts.events.emit('retryNeeded');
    }
    // An error with a code came before any contents; one of the disk after them.
    if (code === null) this.#unavailable.addFetched(status, error);
    const [to] = isMove ? this.#parts.held.entriesNaming(status.fid) : [];
    if (to !== undefined) this.#errors.notMoved(status.fid, error, to);
    else this.#errors.failed(status.fid, error, { path, commit: status.commit });
  }
}

/** Where something gets a name; null: nothing does. */
function placeOf(action: DiskAction): Place | null {
  if (action.do === 'move') return action.to;
  return 'place' in action ? action.place : null;
}

/** What was kept out because of a name may come in. */
function freesName({ do: what }: DiskAction): boolean {
  return what === 'remove' || what === 'rmdir' || what === 'move' || what === 'park';
}

function contentsOf(action: DiskAction): VnodeStatus | null {
  if (action.do === 'contents') return action.status;
  return action.do === 'make' && action.status.kind === 'file' ? action.status : null;
}

/** As far as what is recorded is enough: for what is brought from one disk to another. */
function statusOf(record: VnodeRecord): VnodeStatus {
  const { fid, kind, mode, mtime, size, version, digest, target, xattrs } = record;
  const commit = 0 as CommitNumber;
  return { fid, kind, mode, mtime, size, version, commit, digest, target, links: 1, xattrs };
}

function isAbort(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'AbortError';
}
