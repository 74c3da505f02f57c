/**
 * Placeholders on the disk: made, renewed when what they tell has changed, taken away, and put in the place of a file whose contents
 * the server has.
 *
 * Invariants
 * 1. A placeholder is whole before it has its name, and durable before a file goes for it.
 * 2. It has another name than the file, so both may be there; the file counts then (placeholder-look.ts). So a crash at any moment leaves
 *    one of them, or both.
 * 3. Nothing that is not as recorded is ever written over or removed: `Blocked`.
 */
import { basename, dirname } from 'node:path';
import type { Fid } from '../../../../shared/model/fid.ts';
import { mtimeInRange, type VnodeStatus } from '../../../../shared/model/vnode.ts';
import { PLACEHOLDER_SUFFIX } from '../../../../shared/model/placeholder-name.ts';
import type { Feed } from '../../../../shared/ports/feed.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Disk } from '../disk/disk.ts';
import { Blocked } from '../disk/path-changed.ts';
import {
  isSameBytes,
  isUntouched,
  stampOf,
  type DiskFacts,
  type DiskStamp,
} from '../disk/disk-facts.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { Rooms } from '../disk/own-directories.ts';
import type { FolderRecords, VnodeRecord } from '../records/folder-records.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import { markOf } from './placeholder-look.ts';
import { placeholderText } from './placeholder-text.ts';

/** To be read; what is written into it is meant. */
const PLACEHOLDER_MODE = 0o444;

export interface PlaceholdersParts {
  readonly directories: InDirectory;
  readonly records: FolderRecords;
  readonly rooms: Rooms;
  readonly files: Disk;
  /** Where a file that was taken out of its place is kept for a while. */
  readonly replaced: {
    place(fid: Fid, facts: DiskFacts, place: Place, incoming: DiskFacts | null): string;
  };
  readonly feed: Pick<Feed, 'keeps'>;
  readonly events: FolderEvents;
}

type FileStatus = Pick<
  VnodeStatus,
  'fid' | 'version' | 'digest' | 'size' | 'mode' | 'mtime' | 'xattrs'
>;

/** Makes, renews and removes placeholders, and puts one in the place of a file. */
export class Placeholders {
  readonly #parts: PlaceholdersParts;

  constructor(parts: PlaceholdersParts) {
    this.#parts = parts;
  }

  /** For a file that is not in place. Throws Blocked where its name is taken. */
  make(status: VnodeStatus, place: Place): void {
    const { directories, records, files, events } = this.#parts;
    if (records.at(place.dir, place.name) !== null) throw new Blocked(directories.path(place));
    directories.change(place.dir, (base) => {
      const path = shown(base, place);
      // The file itself is there: it is looked at first.
      if (directories.facts(`${base}/${place.name}`) !== null) {
        throw new Blocked(directories.path(place));
      }
      const there = directories.facts(path);
      if (there === null) {
        const made = this.#write(status, place, null).path;
        files.inherit(base, made);
        files.setMode(made, PLACEHOLDER_MODE);
        this.#put(made, path, place);
      } else if (!this.#isOf(path, there, status.fid))
        throw new Blocked(shownPath(directories, place));
      else events.emit('pathChanged', shownPath(directories, place).join('/'));
      const facts = directories.facts(path);
      if (facts === null) throw new Blocked(shownPath(directories, place));
      const { fid, kind, version, digest, size, mode, mtime, target, xattrs } = status;
      const told = { fid, kind, version, digest, size, mode, mtime, target, xattrs };
      records.put({ ...told, placeholder: true, disk: stampOf(facts) });
      records.link(place, fid, false);
    });
    this.#keeps(status.fid, false);
  }

  /** What is told of the file has changed, or its name, or somebody took the placeholder away. `told` null: all but that is as recorded. */
  renew(fid: Fid, told: FileStatus | null): void {
    const { directories, records } = this.#parts;
    const record = records.get(fid);
    const [first, ...others] = records.names(fid);
    if (record?.placeholder !== true || first === undefined) return;
    const { version, digest, size, mode, mtime, xattrs } = told ?? record;
    const next = { fid, version, digest, size, mode, mtime, xattrs };
    const { disk } = record;
    directories.change(first.dir, (base) => {
      const path = shown(base, first);
      const old = directories.facts(path) === null ? null : path;
      const made = this.#write(next, first, old).path;
      this.#swap(path, made, { fid, disk, place: first });
      const facts = directories.facts(path);
      records.update(fid, { ...next, disk: facts === null ? null : stampOf(facts) });
    });
    for (const place of others) this.#linkAnew(fid, first, place, disk);
  }

  /** The placeholder that was in a place goes, if it is one still. */
  clear(place: Place, disk: DiskStamp | null): void {
    const { directories, records } = this.#parts;
    const fid = records.at(place.dir, place.name);
    directories.change(place.dir, (base) => {
      const path = shown(base, place);
      const facts = directories.facts(path);
      const isOurs =
        facts !== null &&
        ((disk !== null && isUntouched(facts, disk)) || this.#isOf(path, facts, null));
      if (isOurs) this.#parts.files.unlink(path);
    });
    if (fid !== null) this.#keeps(fid, true);
  }

  /** A file gives way to its placeholder. Its caller knows that the server has it. Gives why it can not; null: it is done. */
  replace(record: VnodeRecord, place: Place): string | null {
    const { directories, records, files } = this.#parts;
    const { fid, disk } = record;
    let why: string | null = null;
    directories.change(place.dir, (base) => {
      const path = `${base}/${place.name}`;
      const facts = directories.facts(path);
      why = this.#inUse(path, facts, disk);
      if (why !== null || facts === null) return;
      if (directories.facts(shown(base, place)) !== null) {
        why = `${place.name}${PLACEHOLDER_SUFFIX} is in the way`;
        return;
      }
      const made = this.#write(record, place, path);
      if (made.dropped.length > 0) {
        files.remove(made.path);
        why = `what stands for it could not keep: ${made.dropped.join(', ')}`;
        return;
      }
      this.#put(made.path, shown(base, place), place);
      files.syncDirectory(base);
      why = this.#takeOut(fid, place, path, facts);
      const stands = directories.facts(shown(base, place));
      if (why !== null) files.unlink(shown(base, place));
      else if (stands !== null) records.update(fid, { placeholder: true, disk: stampOf(stands) });
    });
    if (why === null) this.#keeps(fid, false);
    return why;
  }

  /** What a record says of where a contents are, told anew. */
  tellAll(): void {
    const { records } = this.#parts;
    for (const fid of records.placeholders()) this.#keeps(fid, false);
  }

  #keeps(fid: Fid, isHere: boolean): void {
    this.#parts.feed.keeps(fid, isHere);
  }

  #inUse(path: string, facts: DiskFacts | null, disk: DiskStamp | null): string | null {
    if (facts === null || disk === null || !isUntouched(facts, disk))
      return 'it has just changed here';
    if (facts.links > 1) return 'it has other names here';
    return this.#parts.files.isBeingWritten(path) === false ? null : 'a program may be writing it';
  }

  /** Where it can be put back from, and is found after a crash, until it is sure that nobody writes to it. */
  #takeOut(fid: Fid, place: Place, path: string, facts: DiskFacts): string | null {
    const { directories, replaced, files } = this.#parts;
    const kept = replaced.place(fid, facts, place, null);
    files.rename(path, kept);
    const out = directories.facts(kept);
    const isSame = out !== null && isSameBytes(out, stampOf(facts));
    if (isSame && files.isBeingWritten(kept) === false) {
      files.unlink(kept);
      return null;
    }
    files.renameNoReplace(kept, path);
    return 'a program may be writing it';
  }

  /** A private file, whole and durable. It has what `old` has and nobody syncs, so that the file has it again when it comes back. */
  #write(
    told: FileStatus,
    { dir, name }: Place,
    old: string | null,
  ): { path: string; dropped: string[] } {
    const { rooms, files } = this.#parts;
    const { fid, version, size, mtime } = told;
    const path = rooms.of(dir).temporary();
    try {
      files.writeNew(path, placeholderText({ fid, name, version, size, mtime }));
      const dropped = old === null ? [] : files.keepUnsynced(old, path);
      files.setMtime(path, BigInt(mtimeInRange(mtime)));
      files.setMode(path, PLACEHOLDER_MODE);
      return { path, dropped };
    } catch (error) {
      files.remove(path);
      throw error;
    }
  }

  #put(from: string, to: string, place: Place): void {
    const { directories, files } = this.#parts;
    try {
      files.renameNoReplace(from, to);
    } catch (error) {
      files.remove(from);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Blocked(shownPath(directories, place));
    }
  }

  #swap(
    path: string,
    made: string,
    { fid, disk, place }: { fid: Fid; disk: DiskStamp | null; place: Place },
  ): void {
    const { directories, files } = this.#parts;
    const there = directories.facts(path);
    if (there === null) return this.#put(made, path, place);
    const isOurs = (disk !== null && isUntouched(there, disk)) || this.#isOf(path, there, fid);
    if (isOurs) return files.rename(made, path);
    files.remove(made);
    throw new Blocked(shownPath(directories, place));
  }

  #linkAnew(fid: Fid, first: Place, place: Place, before: DiskStamp | null): void {
    const { directories, records, rooms, files } = this.#parts;
    directories.change(place.dir, (base) => {
      const path = shown(base, place);
      const there = directories.facts(path);
      if (there !== null && there.inode !== before?.inode) return;
      const extra = rooms.of(place.dir).temporary();
      directories.change(first.dir, (from) => files.link(shown(from, first), extra));
      files.rename(extra, path);
    });
    const facts = directories.factsOf(first);
    if (facts !== null) records.update(fid, { disk: stampOf(facts) });
  }

  /** A placeholder as we write them; of that vnode (null: of any). */
  #isOf(path: string, facts: DiskFacts, fid: Fid | null): boolean {
    if (facts.kind !== 'file') return false;
    const mark = markOf(this.#parts.files, dirname(path), { name: basename(path), facts });
    return mark !== null && (fid === null || mark.fid === fid);
  }
}

const shown = (base: string, { name }: Place): string => `${base}/${name}${PLACEHOLDER_SUFFIX}`;

function shownPath(directories: InDirectory, place: Place): string[] {
  const path = directories.path(place);
  return [...path.slice(0, -1), place.name + PLACEHOLDER_SUFFIX];
}
