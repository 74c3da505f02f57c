/**
 * Moves from one disk to another within the folder: nothing is renamed there, so what moves is made anew on the other disk and goes on the first.
 *
 * Contents are copied ahead, off the main thread, each as it is recorded. Then, in one turn: all that moves is as recorded, and has its copy; it is put
 * together in the room on the other disk, whole; it gets its name in one step; what was copied goes, as what others remove does (rule F1): whoever
 * writes to it late finds a conflict copy.
 *
 * Invariants
 * 1. Before something has its new name whole and durable, nothing of it goes.
 * 2. What was changed here and is not logged yet is never left behind: `Blocked`, and it is looked at first.
 * 3. What is about to get its new name is noted, by its inode, until the records have it. So a start after a crash finishes what was begun, and takes
 *    neither the old ones for removed nor the new ones for made.
 * 4. What is not synced stays where it is, and the directories with it, as when others remove one (rule C3).
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { mtimeInRange } from '../../../../shared/model/vnode.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { removeEmptied, type Disk } from '../disk/disk.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import {
  BEGUN_MODE,
  isSameBytes,
  isUntouched,
  stampPlaced,
  stampToLog,
  type DiskStamp,
} from '../disk/disk-facts.ts';
import type { Room, Rooms } from '../disk/own-directories.ts';
import type { FileAttributes } from '../disk/file-attributes.ts';
import { samePlace, type FolderRecords, type VnodeRecord } from '../records/folder-records.ts';
import type { KeptStates } from '../kept-states.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import type { ReplacedFiles } from './replaced-files.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import { PathChanged, Blocked } from '../disk/path-changed.ts';

export interface AcrossDisksParts {
  readonly root: SafeRoot;
  readonly records: FolderRecords;
  readonly directories: InDirectory;
  readonly rooms: Rooms;
  readonly files: Disk;
  readonly replaced: ReplacedFiles;
  readonly attributes: FileAttributes;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: KeptStates;
}

export interface MoveAcross {
  readonly fid: Fid;
  readonly from: Place;
  readonly to: Place;
  /** What has the new name, and goes in the same step. */
  readonly over: Fid | null;
}

/** What is being moved: `inode` gets the new name. */
interface Note extends MoveAcross {
  readonly inode: string;
}

interface Copy {
  readonly of: DiskStamp;
  readonly path: string;
  readonly disk: string;
}

/** The key under which it is kept. */
const STATE = 'across';

/** Moves files and directories from one disk of the folder to another, by copies. */
export class AcrossDisks {
  readonly #parts: AcrossDisksParts;
  readonly #copies = new Map<Fid, Copy>();
  readonly #bringing = new Map<Fid, Promise<void>>();

  #notes: readonly Note[] = [];

  constructor(parts: AcrossDisksParts) {
    this.#parts = parts;
  }

  /** What an ended run was about to move has its new name, and the records do not know: that is finished. Before anything is looked at. */
  finish(): void {
    const { records, directories, store, log } = this.#parts;
    this.#notes = JSON.parse(store.state(STATE) ?? '[]') as Note[];
    for (const note of this.#notes) {
      const { fid, from, to, inode } = note;
      const isOld = records.at(from.dir, from.name) === fid && records.has(to.dir);
      try {
        if (!isOld || directories.factsOf(to, fid)?.inode !== inode) continue;
        this.#takePlace(note);
      } catch (error) {
        log.warn('a move to another disk could not be finished', { error: String(error) });
      }
      // It may have been written since.
      for (const each of this.#moved(fid)) this.#doubt(each);
    }
  }

  /** The records are written as they are. */
  saved(): void {
    if (this.#notes.length > 0) this.#write([]);
  }

  #write(notes: readonly Note[]): void {
    this.#parts.store.setState(STATE, JSON.stringify(notes));
    this.#notes = notes;
  }

  isAcross(from: Place, to: Place): boolean {
    const { rooms } = this.#parts;
    return from.dir !== to.dir && rooms.diskOf(from.dir) !== rooms.diskOf(to.dir);
  }

  /** Every file in it that is as recorded has a copy on the disk of `dir`. */
  isReady(fid: Fid, dir: Fid): boolean {
    return this.#lacking(fid, this.#parts.rooms.diskOf(dir)).length === 0;
  }

  /** Copies what lacks. Rejects with what the disks say. */
  bring(fid: Fid, dir: Fid): Promise<void> {
    const known = this.#bringing.get(fid);
    if (known !== undefined) return known;
    const bringing = this.#bring(fid, dir).finally(() => this.#bringing.delete(fid));
    this.#bringing.set(fid, bringing);
    return bringing;
  }

  /** Nobody moves anything: what was copied is given up. */
  dropAll(): void {
    if (this.#bringing.size > 0) return;
    for (const fid of [...this.#copies.keys()]) this.#drop(fid);
  }

  /** `put` gives what is ready the new name. Throws Blocked, PathChanged, and what the disks say; then what was there is there still. */
  move(move: MoveAcross, put: (ready: string, toBase: string) => void): void {
    const { directories, rooms, files } = this.#parts;
    const { fid, from, to } = move;
    const room = rooms.of(to.dir);
    // What can't be changed there would be left, and come back as something new.
    rooms.of(from.dir);
    const moved = this.#moved(fid);
    for (const each of moved) this.#check(each, room.disk);
    const spare = new Map<Fid, string>();
    let ready: string;
    try {
      ready = this.#build(fid, from, room, spare);
    } finally {
      for (const path of spare.values()) files.remove(path);
    }
    const before = this.#notes;
    try {
      const inode = directories.facts(ready)?.inode ?? '';
      this.#write([...before, { ...move, inode }]);
      directories.change(to.dir, (base) => {
        put(ready, base);
        // The disks write when they like: on one the old name may be gone before the other has the new one.
        files.syncDirectory(base);
      });
    } catch (error) {
      this.#notes = before;
      files.removeTree(ready);
      throw error;
    }
    const left = this.#takePlace(move);
    if (left !== null) throw new Blocked(left);
  }

  /** It has its new name: the old ones go, and the records say so. Gives what is left of them. */
  #takePlace({ fid, from, to, over }: MoveAcross): readonly string[] | null {
    const { records } = this.#parts;
    const moved = this.#moved(fid);
    const stamps = new Map(moved.map((each) => [each, records.get(each)?.disk ?? null]));
    try {
      return this.#clear(fid, from, stamps);
    } finally {
      if (over !== null && records.at(to.dir, to.name) === over) records.unlink(to);
      records.move(from, to, false);
      for (const each of moved) this.#settle(each);
    }
  }

  /** All that is recorded in it, and itself: each after what it lies in. */
  #moved(fid: Fid): Fid[] {
    const moved = new Set([fid]);
    // What is added is walked, too.
    for (const at of moved) {
      for (const [, child] of this.#parts.records.entries(at)) moved.add(child);
    }
    return [...moved];
  }

  #lacking(fid: Fid, disk: string): Fid[] {
    return this.#moved(fid).filter((each) => {
      if (this.#parts.records.get(each)?.kind !== 'file') return false;
      return !this.#isCopied(each, disk) && this.#isAsRecorded(each);
    });
  }

  #isCopied(fid: Fid, disk: string): boolean {
    const copy = this.#copies.get(fid);
    const now = this.#parts.records.get(fid)?.disk ?? null;
    if (copy === undefined || now === null) return false;
    return copy.disk === disk && sameStamp(copy.of, now);
  }

  #isAsRecorded(fid: Fid): boolean {
    const { records, directories } = this.#parts;
    const disk = records.get(fid)?.disk ?? null;
    if (disk === null) return false;
    return records.names(fid).every((place) => {
      const facts = directories.factsOf(place);
      return facts !== null && isUntouched(facts, disk);
    });
  }

  async #bring(fid: Fid, dir: Fid): Promise<void> {
    const { rooms, records, root, files } = this.#parts;
    const room = rooms.of(dir);
    for (const each of this.#lacking(fid, room.disk)) {
      const of = records.get(each)?.disk ?? null;
      const place = records.names(each)[0];
      const path = place && records.pathOf(place.dir);
      if (of === null || place === undefined || path === null || path === undefined) continue;
      this.#drop(each);
      const copy = room.temporary();
      try {
        const name = records.shownName(place);
        const isSame = await root.reading([...path, name], async (file, facts, again) => {
          if (!isUntouched(facts, of)) return false;
          await files.copyFile(file, copy, { sync: true });
          return isUntouched(again(), of);
        });
        if (isSame) this.#copies.set(each, { of, path: copy, disk: room.disk });
        else files.remove(copy);
      } catch (error) {
        files.remove(copy);
        if (!(error instanceof PathChanged)) throw error;
      }
    }
  }

  #check(fid: Fid, disk: string): void {
    const { records, directories } = this.#parts;
    const [place] = records.names(fid);
    const record = records.get(fid);
    const isGood =
      this.#isAsRecorded(fid) && (record?.kind !== 'file' || this.#isCopied(fid, disk));
    if (!isGood) throw new Blocked(place === undefined ? [] : directories.path(place));
  }

  /** Gives where it is, whole and durable. `spare`: a name more of each file that is to have several. */
  #build(fid: Fid, place: Place, room: Room, spare: Map<Fid, string>): string {
    const { records, files } = this.#parts;
    const record = records.get(fid);
    if (record === null) throw new Blocked([place.name]);
    const before = spare.get(fid);
    if (before !== undefined) {
      const path = room.temporary();
      files.link(before, path);
      return path;
    }
    switch (record.kind) {
      case 'file': {
        const path = this.#buildFile(record, place);
        if (records.names(fid).length === 1) return path;
        const more = room.temporary();
        files.link(path, more);
        spare.set(fid, more);
        return path;
      }
      case 'symlink': {
        const path = room.temporary();
        files.symlink(record.target ?? '', path);
        this.#attributes(record, place, path);
        return path;
      }
      default:
        return this.#buildDirectory(record, place, room, spare);
    }
  }

  #buildFile(record: VnodeRecord, place: Place): string {
    const { files } = this.#parts;
    const copy = this.#copies.get(record.fid);
    if (copy === undefined) throw new Blocked([place.name]);
    this.#copies.delete(record.fid);
    this.#unsynced(place, copy.path);
    if (record.placeholder !== true) this.#attributes(record, place, copy.path);
    else {
      files.setMtime(copy.path, BigInt(mtimeInRange(record.mtime)));
      files.setMode(copy.path, copy.of.mode);
    }
    return copy.path;
  }

  #buildDirectory(record: VnodeRecord, place: Place, room: Room, spare: Map<Fid, string>): string {
    const { records, files } = this.#parts;
    const path = room.temporary();
    files.makeDirectory(path, BEGUN_MODE);
    for (const [name, child] of records.entries(record.fid)) {
      const at = { dir: record.fid, name };
      files.rename(this.#build(child, at, room, spare), `${path}/${records.shownName(at)}`);
    }
    this.#unsynced(place, path);
    this.#attributes(record, place, path);
    files.syncDirectory(path);
    return path;
  }

  /** What it has here and nobody syncs. */
  #unsynced(place: Place, path: string): void {
    const { directories, attributes } = this.#parts;
    directories.change(place.dir, (base) =>
      attributes.keep(directories.at(base, place), path, directories.path(place)),
    );
  }

  #attributes(record: VnodeRecord, place: Place, path: string): void {
    const { attributes, records, directories } = this.#parts;
    const shown = directories.path(place);
    const absent = attributes.set(path, record, null, { shown, known: record.xattrs });
    records.update(record.fid, { absent: absent.length > 0 ? absent : undefined });
  }

  /** The old ones go; a directory with something in it that is not synced stays, and its path is given. */
  #clear(fid: Fid, place: Place, stamps: Map<Fid, DiskStamp | null>): readonly string[] | null {
    const { records, directories } = this.#parts;
    let left: readonly string[] | null = null;
    for (const [name, child] of records.entries(fid)) {
      left = this.#clear(child, { dir: fid, name }, stamps) ?? left;
    }
    const shown = directories.path(place);
    const isThere = directories.factsOf(place) !== null;
    if (!isThere) return left;
    directories.change(place.dir, (base) => {
      const path = directories.at(base, place);
      const facts = directories.facts(path);
      const stamp = stamps.get(fid) ?? null;
      if (facts === null) return;
      if (stamp?.inode !== facts.inode) left = shown;
      else if (facts.kind === 'directory')
        left = removeEmptied(this.#parts.files, path) ? left : (left ?? shown);
      else if (facts.kind === 'symlink') this.#parts.files.unlink(path);
      else left = this.#takeOut(fid, place, path, stamp) ? left : shown;
    });
    return left;
  }

  /** False: it was changed in this moment, and stays as something of its own. */
  #takeOut(fid: Fid, place: Place, path: string, stamp: DiskStamp): boolean {
    const { directories, replaced, files, records } = this.#parts;
    const facts = directories.facts(path);
    if (facts === null) return true;
    if (records.names(fid).some((other) => !samePlace(other, place)) && facts.links > 1) {
      // The last of its names is kept for who writes late.
      files.unlink(path);
      return true;
    }
    const kept = replaced.place(fid, facts, place, null);
    files.rename(path, kept);
    const out = directories.facts(kept);
    if (out !== null && isSameBytes(out, stamp)) {
      replaced.kept(kept);
      return true;
    }
    files.renameNoReplace(kept, path);
    return false;
  }

  /** Its stamp is that of what is at its name now. */
  #settle(fid: Fid): void {
    const { records, directories, clock } = this.#parts;
    const [place] = records.names(fid);
    const facts = place === undefined ? null : directories.factsOf(place);
    if (facts !== null) records.update(fid, { disk: stampPlaced(facts, clock.wall()) });
  }

  /** What is there is looked into. */
  #doubt(fid: Fid): void {
    const { records } = this.#parts;
    const { kind, disk, mode, mtime } = records.get(fid) ?? {};
    if (kind !== 'file' || !disk || mode === undefined || mtime === undefined) return;
    records.update(fid, { disk: stampToLog(disk.inode, { mode, mtime }) });
  }

  #drop(fid: Fid): void {
    const copy = this.#copies.get(fid);
    this.#copies.delete(fid);
    try {
      if (copy !== undefined) this.#parts.files.remove(copy.path);
    } catch {
      // It takes room on a disk that fails or has gone; it goes when that is used again.
    }
  }
}

function sameStamp(a: DiskStamp, b: DiskStamp): boolean {
  return a.inode === b.inode && a.ctime === b.ctime && a.mtime === b.mtime && a.size === b.size;
}
