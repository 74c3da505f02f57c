/**
 * Takes from the disk what is not to be on it any more: excluded folders, and what others have moved into one (rules X2, X3, X5). What is as the volume
 * has it goes; all else stays, with its reason, and is asked for again when something has changed.
 *
 * Invariants
 * 1. That something leaves, and why, is durable before anything of it goes: a removal from the disk that is not recorded yet is never told as one.
 * 2. A name goes only when nothing of it waits to be sent, nobody has it open to write, and it is on the disk as it is recorded.
 * 3. Rules of a directory (`.godwitignore`) go last: else what they ignore would be synced.
 */
import type { StayingFile } from '../../../../shared/control/exclusions.ts';
import { IGNORE_FILE } from '../../../../shared/control/default-ignores.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Background } from '../background.ts';
import type { Disk } from '../disk/disk.ts';
import { isUntouched } from '../disk/disk-facts.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import { Blocked, PathChanged } from '../disk/path-changed.ts';
import type { RootPresence } from '../disk/root-presence.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { Asked, ExcludedPlaces } from '../records/excluded-places.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { MountPoints } from '../records/mount-points.ts';
import type { SaveRecords } from '../records/save-records.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import { PendingRepairs } from './pending-repairs.ts';
import type { PutInPlace } from './put-in-place.ts';

export interface TakeOutParts {
  readonly volume: { readonly id: VolumeId };
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly excluded: ExcludedPlaces;
  readonly feed: Feed;
  readonly files: Disk;
  readonly directories: InDirectory;
  readonly put: Pick<PutInPlace, 'run'>;
  readonly dirty: Pick<DirtyPaths, 'has'>;
  readonly mountPoints: Pick<MountPoints, 'mayGo'>;
  readonly isAway: (path: readonly string[]) => boolean;
  readonly mutex: Mutex;
  readonly save: Pick<SaveRecords, 'saved'>;
  readonly presence: Pick<RootPresence, 'usable'>;
  readonly background: Pick<Background, 'after' | 'signal'>;
  readonly events: FolderEvents;
  readonly limits: Pick<FolderLimits, 'leaveAtOnce' | 'retry'>;
}

const UNSENT = 'it is not sent yet';
const CHANGED = 'it has changed, and is sent first';
const CONFLICT = 'it is a side of a conflict: see `godwit conflicts`';
const OPEN = 'a program has it open to write';
const UNSTORED = 'its contents have not reached the server';
const AWAY = 'its disk is not there';
const MOUNT = 'the volume that is shown there leaves first';
const HOLDS = 'is in it, and is not synced';

/** A name that is to go, with the vnode that it had then. */
interface Going {
  readonly place: Place;
  readonly fid: Fid;
}

/** Takes from the disk what is excluded, a part at a time, and knows what stays for now. */
export class TakeOut {
  readonly #parts: TakeOutParts;
  #stays = new Map<string, string>();

  constructor(parts: TakeOutParts) {
    this.#parts = parts;
  }

  /** What could not go at the last try. */
  staying(): StayingFile[] {
    return [...this.#stays].map(([path, reason]) => ({ path, reason }));
  }

  /** Something has changed that could go otherwise. */
  get hasChanges(): boolean {
    return [...this.#stays.values()].includes(CHANGED);
  }

  /** Something is on the disk that is not to be, or has begun to go. */
  get isWanted(): boolean {
    return !this.#parts.excluded.isNone;
  }

  /** Resolves when all is gone that may go now. */
  async run(): Promise<void> {
    const { excluded, save, background, limits, events, mutex } = this.#parts;
    if (excluded.isNone) return;
    // The rows that move something out are durable before it goes.
    await save.saved();
    const going = await mutex.take(() => this.#begin());
    const stays = new Map<string, string>();
    let done = 0;
    for (let from = 0; from < going.length; from += limits.leaveAtOnce) {
      background.signal.throwIfAborted();
      await this.#parts.presence.usable();
      const part = going.slice(from, from + limits.leaveAtOnce);
      done += await mutex.take(() => this.#takeAll(part, stays));
      await save.saved();
    }
    await mutex.take(() => excluded.settled());
    const isOther = done > 0 || stays.size !== this.#stays.size;
    this.#stays = stays;
    if (stays.size > 0) background.after('leave', limits.retry, () => events.emit('heldMayGo'));
    // What waits for a name of these may have it now.
    if (done > 0) events.emit('heldMayGo');
    if (isOther) events.emit('statusChanged');
  }

  /** What is to go, each directory after all that is in it. */
  #begin(): Going[] {
    const { excluded, records, held } = this.#parts;
    const marks = excluded.marks().filter((fid) => records.has(fid));
    const moved = new Set<Fid>();
    const asked: Asked = new Map();
    for (const { fid } of held.entries()) {
      if (fid !== null && excluded.isMovedOut(fid, asked)) moved.add(fid);
    }
    if (marks.length + moved.size === 0) return [];
    // Who is moved out is known by its rows.
    excluded.leave(excluded.marks());
    const going: Going[] = [];
    for (const fid of marks) {
      if (fid === records.root) this.#addIn(fid, going);
      else for (const place of records.names(fid)) this.#add({ place, fid }, going);
    }
    for (const fid of moved) {
      for (const place of records.names(fid)) {
        const row = held.entry(place.dir, place.name);
        if (row !== null && row.fid !== fid) this.#add({ place, fid }, going);
      }
    }
    const seen = new Set<string>();
    return going.filter(({ place }) => {
      const key = `${place.dir}/${place.name}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  #add(given: Going, going: Going[]): void {
    const isDirectory = this.#parts.records.get(given.fid)?.kind === 'directory';
    if (isDirectory) this.#addIn(given.fid, going);
    going.push(given);
  }

  #addIn(dir: Fid, going: Going[]): void {
    const entries = this.#parts.records.entries(dir);
    const isRules = ([name]: [string, Fid]): boolean => name === IGNORE_FILE;
    for (const [name, fid] of [
      ...entries.filter((each) => !isRules(each)),
      ...entries.filter(isRules),
    ]) {
      this.#add({ place: { dir, name }, fid }, going);
    }
  }

  #takeAll(part: readonly Going[], stays: Map<string, string>): number {
    const { feed, volume, records, excluded } = this.#parts;
    const repairs = new PendingRepairs(feed.adjustments(volume.id));
    let done = 0;
    for (const { place, fid } of part) {
      const path = records.pathOfPlace(place);
      if (path === null || records.at(place.dir, place.name) !== fid) continue;
      // A person has said otherwise meanwhile, or others have.
      if (!excluded.isOut({ ...place, fid }) && !excluded.isMovedOut(this.#top(fid))) continue;
      const isHeldUp = repairs.concerns(fid) || repairs.isAt(place.dir, place.name);
      const why = isHeldUp ? UNSENT : (this.#why(place, fid, path) ?? this.#take(place, fid, path));
      const at = path.join('/');
      if (why === null) done += 1;
      else if (why !== '') stays.set(at, why === CHANGED ? (this.#holds(at) ?? why) : why);
    }
    return done;
  }

  /** What was said of a directory in which something is left: that it is to be looked at since is ours to ask, and no change of it. */
  #holds(at: string): string | null {
    const said = this.#stays.get(at);
    return said?.endsWith(HOLDS) === true ? said : null;
  }

  /** The topmost directory that a row moves, in which it is; itself, where none is. */
  #top(fid: Fid): Fid {
    const { records, excluded } = this.#parts;
    for (let at: Fid | undefined = fid; at !== undefined; at = records.names(at)[0]?.dir) {
      if (excluded.isMovedOut(at)) return at;
    }
    return fid;
  }

  /** Why it has to stay, whatever is on the disk; null: it may go. '' needs no word: what is in it stays. */
  #why(place: Place, fid: Fid, path: readonly string[]): string | null {
    const { records, feed, dirty, isAway, mountPoints } = this.#parts;
    const record = records.get(fid);
    if (record === null) return null;
    if (record.kind === 'directory' && records.entryCount(fid) > 0) return '';
    if (isAway(path)) return AWAY;
    if (feed.pendingVnode(fid) || feed.pendingEntry(place.dir, place.name)) return UNSENT;
    if (records.isOwn(place.dir, place.name)) return UNSENT;
    if (dirty.has(path.join('/'))) return CHANGED;
    if (feed.isConflicting(fid)) return CONFLICT;
    if (record.kind === 'file' && record.digest === null) return UNSTORED;
    return records.mountPoints.has(fid) && !mountPoints.mayGo(fid) ? MOUNT : null;
  }

  /** Null: it is gone from the disk, and held. */
  #take(place: Place, fid: Fid, path: readonly string[]): string | null {
    const { excluded, records } = this.#parts;
    const record = records.get(fid);
    try {
      const isDirectory = record?.kind === 'directory';
      const why = isDirectory ? this.#removeEmpty(place, fid, path) : this.#remove(place, fid);
      if (why !== null) return why;
    } catch (error) {
      const at = error instanceof Blocked ? error.path : null;
      const met = at ?? (error instanceof PathChanged ? error.at : null);
      if (met === null) return `it can not be taken away (${diskCode(error)})`;
      this.#parts.events.emit('pathChanged', path.join('/'));
      return CHANGED;
    }
    excluded.forget([place]);
    return null;
  }

  /** Of a file or a link: kept for a while, for who still has it open. */
  #remove(place: Place, fid: Fid): string | null {
    const { directories, records, files, put, excluded } = this.#parts;
    const facts = directories.factsOf(place);
    if (facts === null) return null;
    const disk = records.get(fid)?.disk ?? null;
    if (disk === null || !isUntouched(facts, disk)) throw new Blocked(directories.path(place));
    if (place.name === IGNORE_FILE && this.#hasOthers(place)) {
      return 'its rules hold for what is not synced beside it';
    }
    let isOpen = false;
    if (facts.kind === 'file') {
      directories.change(place.dir, (base) => {
        isOpen = files.isBeingWritten(directories.at(base, place)) === true;
      });
    }
    if (isOpen) return OPEN;
    const hold = excluded.holding(place);
    put.run({ do: 'remove', fid, place }, null);
    hold();
    return null;
  }

  /** Something else is in the directory of the rules: it is ignored, or nobody has looked at it yet. */
  #hasOthers({ dir, name }: Place): boolean {
    const { directories, files } = this.#parts;
    let isOther = false;
    directories.change(dir, (base) => {
      isOther = files.names(base).some((each) => each !== name);
    });
    return isOther;
  }

  #removeEmpty(place: Place, fid: Fid, path: readonly string[]): string | null {
    const { directories, files, records, events } = this.#parts;
    let left: readonly string[] | null = null;
    directories.change(place.dir, (base) => {
      const at = `${base}/${place.name}`;
      const facts = directories.facts(at);
      if (facts === null) return;
      if (facts.inode !== records.get(fid)?.disk?.inode) throw new Blocked(path);
      try {
        files.removeDirectory(at);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
        left = files.names(at);
      }
    });
    if (left === null) return null;
    const [first = ''] = left as readonly string[];
    const why = `${first} ${HOLDS}`;
    // What is new in it is synced first. What is ignored stays, and the directory with it: it is looked at once.
    const at = path.join('/');
    if (this.#holds(at) !== why) events.emit('pathChanged', at, { deep: true });
    return why;
  }
}

/** What the disk said. Throws all else: that is a fault of ours. */
function diskCode(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code;
}
