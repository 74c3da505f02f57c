/**
 * Executes the actions of a remote plan on the disk, one at a time, each with its record.
 *
 * Nothing that was changed here and not logged yet is ever overwritten or removed: what is there is compared with the
 * record right before, what came out right after. Where it is not as recorded, the action is `blocked`: the path is
 * looked at, what is found is logged, and the core decides (rules F1, F2, C3).
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import {
  BEGUN_MODE,
  isBegun,
  isSameBytes,
  isUntouched,
  stampBrought,
  stampChanged,
  stampOf,
  stampPlaced,
  type DiskFacts,
  type DiskStamp,
} from '../disk/disk-facts.ts';
import { Blocked } from '../disk/path-changed.ts';
import { samePlace, type VnodeRecord } from '../records/folder-records.ts';
import type { DiskAction } from './plan-remote.ts';
import { isParked } from '../disk/own-directory.ts';
import { Replace } from './replace-file.ts';
import type { PutInPlaceParts, Source } from './put-parts.ts';
import { sameXattrs } from '../disk/xattrs.ts';

/** Carries out single actions of a remote plan on the disk, each with its record. */
export class PutInPlace {
  readonly #parts: PutInPlaceParts;
  readonly #replace: Replace;

  constructor(parts: PutInPlaceParts) {
    this.#parts = parts;
    this.#replace = new Replace(parts);
  }

  /** Throws Blocked, PathChanged, or the disk's own errors; then nothing was done. */
  run(action: DiskAction, source: Source | null): void {
    switch (action.do) {
      case 'park': {
        const to = this.#parts.rooms.of(action.from.dir).parked(action.fid);
        return this.#move(action.fid, action.from, to, null);
      }
      case 'move': {
        const from = action.from ?? this.#parts.records.names(action.fid).find(isParked);
        if (from === undefined) throw new Blocked([action.to.name]);
        return this.#move(action.fid, from, action.to, action.over);
      }
      case 'remove':
        return this.#remove(action.fid, action.place);
      case 'rmdir':
        return this.#removeDirectory(action.fid, action.place);
      case 'make':
        return this.#make(action.status, action.place, source);
      case 'make-placeholder':
        return this.#parts.placeholders.make(action.status, action.place);
      case 'renew-placeholder':
        return this.#parts.placeholders.renew(action.status.fid, action.status);
      case 'link':
        return this.#link(action.fid, action.place);
      case 'contents':
        if (source === null) throw new Blocked([]);
        return this.#replace.contents(action.status, source);
      case 'attributes':
        return this.#attributes(action.status);
    }
  }

  /** A directory that nothing is in. Throws the disk's own errors. */
  removeEmpty(place: Place): void {
    const { directories } = this.#parts;
    directories.change(place.dir, (base) =>
      this.#parts.files.removeDirectory(`${base}/${place.name}`),
    );
  }

  /** What was to leave the name before, could not: the disk may be free there, the records are not. */
  #refuseTaken(place: Place): void {
    const { directories, records } = this.#parts;
    if (records.at(place.dir, place.name) !== null) throw new Blocked(directories.path(place));
  }

  #make(status: VnodeStatus, place: Place, source: Source | null): void {
    const { directories, attributes } = this.#parts;
    const shown = directories.path(place);
    this.#refuseTaken(place);
    directories.change(place.dir, (base) => {
      let absent: readonly string[] = [];
      let made: DiskFacts | null = null;
      const path = `${base}/${place.name}`;
      const there = directories.facts(path);
      if (status.kind === 'file') {
        if (source === null) throw new Blocked(directories.path(place));
        if ('there' in source) {
          if (there === null || !isUntouched(there, stampOf(source.there))) {
            throw new Blocked(directories.path(place));
          }
          absent = attributes.set(path, status, there, { shown });
        } else {
          if (!this.#takesOver(status.fid, source.path, shown)) {
            attributes.inherit(base, source.path);
          }
          absent = attributes.set(source.path, status, null, { shown });
          made = directories.facts(source.path);
          this.#place(source.path, path, place);
        }
      } else if (there === null) {
        if (status.kind === 'directory') absent = this.#makeDirectory(status, path, shown);
        else made = this.#makeSymlink(status, path, place);
      } else {
        absent = this.#adopt(status, place, path, there);
      }
      this.#record(status, place, path, { absent, made });
    });
  }

  /** It wins over what is a conflict copy now, and has had what that has. False: it does not. */
  #takesOver(fid: Fid, file: string, shown: readonly string[]): boolean {
    const { attributes, directories, records } = this.#parts;
    const copy = attributes.takeLike(fid);
    const place = copy === null ? undefined : records.names(copy)[0];
    if (copy === null || place === undefined || directories.factsOf(place) === null) return false;
    directories.change(place.dir, (base) =>
      attributes.keep(directories.at(base, place), file, shown),
    );
    return true;
  }

  /** In its place from the start: what a directory inherits, it has from the one it is in. */
  #makeDirectory(status: VnodeStatus, path: string, shown: readonly string[]): readonly string[] {
    this.#parts.files.makeDirectory(path, BEGUN_MODE);
    try {
      return this.#parts.attributes.set(path, status, null, { shown });
    } catch (error) {
      this.#removeBegun(path);
      throw error;
    }
  }

  /** The error that led here is the one that is told. */
  #removeBegun(path: string): void {
    try {
      this.#parts.files.removeDirectory(path);
    } catch {
      // It is known by its mode, and is finished or removed later.
    }
  }

  #makeSymlink(status: VnodeStatus, path: string, place: Place): DiskFacts | null {
    const { rooms, attributes, directories, files } = this.#parts;
    const made = rooms.of(place.dir).temporary();
    files.symlink(status.target ?? '', made);
    try {
      attributes.set(made, status, null, { shown: directories.path(place) });
      const facts = directories.facts(made);
      this.#place(made, path, place);
      return facts;
    } catch (error) {
      files.remove(made);
      throw error;
    }
  }

  /** What is there is what the row says, made here before us or by an ended run. */
  #adopt(status: VnodeStatus, place: Place, path: string, there: DiskFacts): readonly string[] {
    const { directories, records, attributes } = this.#parts;
    const shown = directories.path(place);
    const isSame =
      there.kind === status.kind &&
      (there.kind === 'directory' || there.target === status.target) &&
      records.byInode(there.inode) === null;
    if (!isSame) throw new Blocked(shown);
    return attributes.set(path, status, isBegun(there) ? null : there, { shown });
  }

  /** `made`: the private file that was brought there; null: it was none. */
  #record(
    status: VnodeStatus,
    place: Place,
    path: string,
    { absent, made }: { readonly absent: readonly string[]; readonly made: DiskFacts | null },
  ): void {
    const { directories, records } = this.#parts;
    const facts = directories.facts(path);
    if (facts === null) throw new Blocked(directories.path(place));
    const wall = this.#parts.clock.wall();
    const disk = made === null ? stampPlaced(facts, wall) : stampBrought(facts, made, wall);
    const unused = made !== null && status.kind === 'file' ? { unused: true } : {};
    records.put({ ...recordOf(status, facts), ...absentOf(absent), ...unused, disk });
    records.link(place, status.fid, false);
  }

  #place(from: string, to: string, place: Place): void {
    try {
      this.#parts.files.renameNoReplace(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Blocked(this.#parts.directories.path(place));
    }
  }

  #move(fid: Fid, from: Place, to: Place, over: Fid | null): void {
    const { directories, attributes } = this.#parts;
    const source = directories.path(from);
    if (over === null) this.#moveName(fid, from, to, null);
    else this.#losingName(over, to, () => this.#moveName(fid, from, to, over));
    attributes.moved(source, directories.path(to));
  }

  #moveName(fid: Fid, from: Place, to: Place, over: Fid | null): void {
    const { directories, records, placeholders, across } = this.#parts;
    if (over === null) this.#refuseTaken(to);
    if (across.isAcross(from, to)) return this.#moveAcross(fid, from, to, over);
    directories.change(from.dir, (fromBase) =>
      directories.change(to.dir, (toBase) => {
        const source = directories.at(fromBase, from, fid);
        const target = directories.at(toBase, to, fid);
        const facts = directories.facts(source);
        const record = records.get(fid);
        if (facts === null || record?.disk?.inode !== facts.inode) {
          throw new Blocked(directories.path(from));
        }
        if (over === null)
          directories.moving(source, target, facts, () =>
            this.#placeMoved({ source, target }, from, to),
          );
        else if (directories.at(toBase, to, over) === target)
          directories.moving(source, target, facts, () =>
            this.#replace.over(over, to, source, target),
          );
        else
          this.#moveBeside(over, to, { source, target, other: directories.at(toBase, to, over) });
        if (over !== null) records.unlink(to);
        records.move(from, to, false);
        const ctime = directories.facts(target)?.ctime ?? record.disk.ctime;
        // Changed by a program as well: then it stays so, and is found.
        if (isKnown(facts, record.disk)) records.update(fid, { disk: { ...record.disk, ctime } });
      }),
    );
    // It tells its name; not where it is parked.
    const isRenamed = from.name !== to.name && !isParked(to);
    if (isRenamed && records.get(fid)?.placeholder === true) placeholders.renew(fid, null);
  }

  /** To another disk: what is there is made there anew, and goes here. */
  #moveAcross(fid: Fid, from: Place, to: Place, over: Fid | null): void {
    const { across, directories, records, placeholders } = this.#parts;
    across.move({ fid, from, to, over }, (source, toBase) => {
      const target = directories.at(toBase, to, fid);
      if (over === null) this.#place(source, target, to);
      else {
        const other = directories.at(toBase, to, over);
        if (other === target) this.#replace.over(over, to, source, target);
        else this.#moveBeside(over, to, { source, target, other });
      }
    });
    if (from.name !== to.name && !isParked(to) && records.get(fid)?.placeholder === true) {
      placeholders.renew(fid, null);
    }
  }

  #placeMoved(
    { source, target }: { source: string; target: string },
    from: Place,
    to: Place,
  ): void {
    const { disks } = this.#parts;
    const isRespelled = from.dir === to.dir && disks.at(to.dir).isRespelled(source, target);
    if (isRespelled) this.#parts.files.rename(source, target);
    else this.#place(source, target, to);
  }

  /** One of them is a placeholder, so they have two names on the disk. */
  #moveBeside(
    over: Fid,
    to: Place,
    { source, target, other }: { source: string; target: string; other: string },
  ): void {
    const { directories, records } = this.#parts;
    const disk = records.get(over)?.disk ?? null;
    const facts = directories.facts(other);
    if (disk === null || facts === null || !isUntouched(facts, disk)) {
      throw new Blocked(directories.path(to));
    }
    this.#place(source, target, to);
    this.#takeOut(over, to, other);
  }

  #remove(fid: Fid, place: Place): void {
    const { directories, records } = this.#parts;
    this.#losingName(fid, place, () =>
      directories.change(place.dir, (base) => {
        this.#takeOut(fid, place, directories.at(base, place));
        records.unlink(place);
      }),
    );
  }

  /** Does what takes a name away. Then the other names show a change time that is ours. */
  #losingName(fid: Fid, place: Place, act: () => void): void {
    const others = this.#parts.records.names(fid).filter((name) => !samePlace(name, place));
    const wasUntouched = this.#isUntouchedAt(fid, others);
    act();
    if (wasUntouched) this.#refreshLinks(fid);
  }

  /** Kept for a while, for who still has it open. Where nothing is there any more, nothing is done. */
  #takeOut(fid: Fid, place: Place, path: string): void {
    const { directories, records, replaced, files } = this.#parts;
    const disk = records.get(fid)?.disk ?? null;
    const facts = directories.facts(path);
    if (facts === null) return;
    if (disk === null || !isUntouched(facts, disk)) throw new Blocked(directories.path(place));
    const kept = replaced.place(fid, facts, place, null);
    files.rename(path, kept);
    const out = directories.facts(kept);
    if (out === null || !isSameBytes(out, disk)) {
      files.renameNoReplace(kept, path);
      throw new Blocked(directories.path(place));
    }
    replaced.kept(kept);
  }

  /** With something in it that we know nothing of, the directory stays: it is a local change (rule C3). */
  #removeDirectory(fid: Fid, place: Place): void {
    const { directories, records } = this.#parts;
    if (records.entryCount(fid) > 0) throw new Blocked(directories.path(place));
    let left: Blocked | null = null;
    directories.change(place.dir, (base) => {
      const path = `${base}/${place.name}`;
      const facts = directories.facts(path);
      const isOurs = facts !== null && facts.inode === records.get(fid)?.disk?.inode;
      try {
        if (isOurs) this.#parts.files.removeDirectory(path);
        else if (facts !== null) left = new Blocked(directories.path(place));
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
        left = new Blocked(directories.path(place));
      }
      records.unlink(place);
    });
    if (left !== null) throw left as Blocked;
  }

  #link(fid: Fid, place: Place): void {
    const { directories, records } = this.#parts;
    const [from] = records.names(fid);
    this.#refuseTaken(place);
    if (from === undefined) throw new Blocked(directories.path(place));
    const wasUntouched = this.#isUntouchedAt(fid, [from]);
    directories.change(place.dir, (base) => {
      this.#replace.link(fid, from, directories.at(base, place, fid), place);
      records.link(place, fid, false);
    });
    if (wasUntouched) this.#refreshLinks(fid);
  }

  #attributes(status: VnodeStatus): void {
    const { directories, records, attributes } = this.#parts;
    const record = records.get(status.fid);
    const [place] = records.names(status.fid);
    if (record === null) return;
    if (place === undefined) return this.#rootAttributes(status);
    directories.change(place.dir, (base) => {
      const path = `${base}/${place.name}`;
      const facts = directories.facts(path);
      // Of a directory the change time alone tells that its extended attributes may be others.
      if (facts === null || !isKnown(facts, record.disk))
        throw new Blocked(directories.path(place));
      const has = hadXattrs(record);
      const before = { mode: facts.mode, xattrs: has };
      const isSame = sameXattrs(has, status.xattrs);
      const set = attributes.set(path, status, before, { shown: directories.path(place) });
      const disk = directories.facts(path) ?? facts;
      const { version, mode, mtime, xattrs } = status;
      const absent = isSame ? {} : { absent: set.length > 0 ? set : undefined };
      const stamp = stampChanged(disk, facts, this.#parts.clock.wall());
      records.update(status.fid, { version, mode, mtime, xattrs, ...absent, disk: stamp });
    });
  }

  /** The root's mode is the user's own affair on each machine; all else follows. */
  #rootAttributes(status: VnodeStatus): void {
    const { directories, records, attributes } = this.#parts;
    const { version, mode, mtime, xattrs } = status;
    directories.changeRoot((path) => {
      const record = records.get(status.fid);
      const facts = directories.facts(path);
      if (record === null || facts === null || !isKnown(facts, record.disk)) throw new Blocked([]);
      const has = hadXattrs(record);
      const before = { mode: facts.mode, xattrs: has };
      const isSame = sameXattrs(has, xattrs);
      const absent = attributes.set(path, { ...status, mode: facts.mode }, before, { shown: [] });
      records.update(status.fid, {
        ...{ version, mode, mtime, xattrs },
        ...(isSame ? {} : { absent: absent.length > 0 ? absent : undefined }),
      });
    });
  }

  /** Nothing was done to it that is not recorded, as the first of these places shows. */
  #isUntouchedAt(fid: Fid, [place]: readonly Place[]): boolean {
    const { directories, records } = this.#parts;
    const disk = records.get(fid)?.disk ?? null;
    const facts = place === undefined ? null : directories.factsOf(place);
    return facts !== null && disk !== null && isUntouched(facts, disk);
  }

  /** A name more or less changes the change time of the inode. */
  #refreshLinks(fid: Fid): void {
    const { directories, records } = this.#parts;
    const [place] = records.names(fid);
    const disk = records.get(fid)?.disk;
    if (place === undefined || !disk) return;
    const facts = directories.factsOf(place);
    if (facts !== null && isSameBytes(facts, disk)) records.update(fid, { disk: stampOf(facts) });
  }
}

/** Nothing was done to it, nor to its attributes, that is not recorded. */
function isKnown(facts: DiskFacts, disk: DiskStamp | null): boolean {
  return disk !== null && isUntouched(facts, disk) && facts.ctime === disk.ctime;
}

/** Those of the synced ones that the disk took. */
function hadXattrs({ xattrs, absent }: VnodeRecord): VnodeRecord['xattrs'] {
  return absent === undefined ? xattrs : xattrs.filter(({ name }) => !absent.includes(name));
}

/** The record of what was put in place as a row says; `facts`: as it is on the disk then. */
export function recordOf(status: VnodeStatus, facts: DiskFacts): VnodeRecord {
  const { fid, kind, version, digest, size, mode, mtime, target, xattrs } = status;
  return { fid, kind, version, digest, size, mode, mtime, target, xattrs, disk: stampOf(facts) };
}

/** The part of a record that names extended attributes which this disk does not take. */
export function absentOf(names: readonly string[]): Pick<VnodeRecord, 'absent'> {
  return names.length === 0 ? {} : { absent: names };
}
