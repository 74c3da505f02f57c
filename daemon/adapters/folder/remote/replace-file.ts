/**
 * Replaces a file by another in one step, so that its name is never missing, and looks at what came out (rule F1).
 *
 * Where the file system can swap two names, new contents are swapped in from where replaced files are kept: so what came out is
 * kept from that step on, whatever ends the daemon, and can be swapped back. Elsewhere the base gets a second name
 * first, and the rename follows the check at once; without second names nothing is kept for late writers.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import {
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
import type { PutInPlaceParts, Source } from './put-parts.ts';

/** What is remembered of what stands now where we have put something. */
type StampOf = (now: DiskFacts, wall: number) => DiskStamp;

const CANNOT_SWAP = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS']);
const CANNOT_LINK = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Replaces a file by another in one step, and checks what it has replaced. */
export class Replace {
  readonly #parts: PutInPlaceParts;

  constructor(parts: PutInPlaceParts) {
    this.#parts = parts;
  }

  /** New contents for every name of a vnode: hard links are replaced as a set (rule F3). */
  contents(status: VnodeStatus, source: Source): void {
    const { directories, records, replaced, attributes } = this.#parts;
    const { fid } = status;
    const names = records.names(fid);
    const disk = records.get(fid)?.disk ?? null;
    const [first, ...others] = names;
    let kept: string | null = null;
    if (first === undefined) throw new Blocked([]);
    if (records.get(fid)?.placeholder === true) return this.#fill(status, names, source);
    const shown = directories.path(first);
    const known = records.get(fid)?.xattrs ?? [];
    directories.change(first.dir, (base) => {
      const path = `${base}/${first.name}`;
      let absent: readonly string[];
      let stamp: StampOf;
      if ('there' in source) {
        const facts = directories.facts(path);
        if (facts === null || !isUntouched(facts, stampOf(source.there))) throw new Blocked(shown);
        absent = attributes.set(path, status, facts, { shown, known });
        stamp = (now, wall) => stampChanged(now, facts, wall);
      } else {
        this.#checkNames(names, disk);
        attributes.keep(path, source.path, shown);
        absent = attributes.set(source.path, status, null, { shown, known });
        stamp = this.#stampOf(source.path);
        kept = this.#swapIn(fid, first, source.path, path);
      }
      this.#recordContents(status, path, absent, stamp);
    });
    if (!('there' in source) && disk !== null) this.#others(fid, first, others, disk);
    // Only now: the base of hard links has names left until the last of them is replaced.
    if (kept !== null) replaced.kept(kept);
  }

  /** The contents come where a placeholder stands: first they are in place, then it goes. At a crash both are understood. */
  #fill(status: VnodeStatus, names: readonly Place[], source: Source): void {
    const { directories, records, attributes, placeholders } = this.#parts;
    const [first, ...others] = names;
    if (first === undefined) throw new Blocked([]);
    const record = records.get(status.fid);
    const disk = record?.disk ?? null;
    const shown = directories.path(first);
    const known = record?.xattrs ?? [];
    directories.change(first.dir, (base) => {
      const path = `${base}/${first.name}`;
      let absent: readonly string[];
      let stamp: StampOf;
      if ('there' in source) {
        const facts = directories.facts(path);
        if (facts === null || !isUntouched(facts, stampOf(source.there))) throw new Blocked(shown);
        absent = attributes.set(path, status, facts, { shown, known });
        stamp = (now, wall) => stampChanged(now, facts, wall);
      } else {
        const stands = directories.at(base, first);
        // It has what the file had here; where somebody took it away, the folder gives what it gives to any.
        if (directories.facts(stands) === null) attributes.inherit(base, source.path);
        else attributes.keep(stands, source.path, shown);
        absent = attributes.set(source.path, status, null, { shown, known });
        stamp = this.#stampOf(source.path);
        this.#placeBeside(source.path, path, first);
      }
      records.update(status.fid, { placeholder: false });
      this.#recordContents(status, path, absent, stamp);
    });
    for (const place of others) {
      directories.change(place.dir, (base) =>
        this.link(status.fid, first, `${base}/${place.name}`, place),
      );
    }
    for (const place of names) placeholders.clear(place, disk);
    const facts = directories.factsOf(first);
    const now = records.get(status.fid)?.disk ?? null;
    if (facts !== null && now !== null && others.length > 0 && isSameBytes(facts, now)) {
      records.update(status.fid, { disk: stampOf(facts) });
    }
  }

  #placeBeside(from: string, to: string, place: Place): void {
    try {
      this.#parts.files.renameNoReplace(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Blocked(this.#parts.directories.path(place));
    }
  }

  /** Renames `source` over `target`, which `fid` has as `place`, if it is as recorded; the base is kept for a while. */
  over(fid: Fid, place: Place, source: string, target: string): void {
    const { directories, files, replaced } = this.#parts;
    const { facts, disk } = this.#asRecorded(fid, place, target);
    const kept = replaced.place(fid, facts, place, null);
    if (!this.#canSwap(place, () => files.renameExchange(source, target))) {
      this.#renameOver(place, source, target, { kept, disk });
    } else {
      const out = directories.facts(source);
      if (out === null || !isSameBytes(out, disk)) {
        files.renameExchange(source, target);
        throw new Blocked(directories.path(place));
      }
      files.rename(source, kept);
    }
    replaced.kept(kept);
  }

  /** As `over`, of a private file: in place, or (Blocked) where it was. Gives where the base is. */
  #swapIn(fid: Fid, place: Place, source: string, target: string): string {
    const { directories, files, replaced } = this.#parts;
    const { facts, disk } = this.#asRecorded(fid, place, target);
    const kept = replaced.place(fid, facts, place, directories.facts(source));
    files.rename(source, kept);
    let isSwapped = false;
    try {
      isSwapped = this.#canSwap(place, () => files.renameExchange(kept, target));
    } finally {
      if (!isSwapped) files.rename(kept, source);
    }
    if (!isSwapped) {
      this.#renameOver(place, source, target, { kept, disk });
      return kept;
    }
    const out = directories.facts(kept);
    if (out !== null && isSameBytes(out, disk)) return kept;
    this.#swapBack(kept, target);
    // What is at the place again is for the next look. Ours lies where a private file is removed.
    if (directories.facts(kept) !== null) files.rename(kept, source);
    throw new Blocked(directories.path(place));
  }

  /** What came out is a change nobody has logged: back, also when the name has gone meanwhile. */
  #swapBack(kept: string, target: string): void {
    const { files } = this.#parts;
    try {
      files.renameExchange(kept, target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      files.renameNoReplace(kept, target);
    }
  }

  #asRecorded(fid: Fid, place: Place, target: string): { facts: DiskFacts; disk: DiskStamp } {
    const { directories, records } = this.#parts;
    const disk = records.get(fid)?.disk ?? null;
    const facts = directories.facts(target);
    if (facts === null || disk === null || !isUntouched(facts, disk)) {
      throw new Blocked(directories.path(place));
    }
    return { facts, disk };
  }

  /** False: this file system can't swap names. Throws Blocked where there is nothing to swap with any more. */
  #canSwap(place: Place, swap: () => void): boolean {
    try {
      swap();
      return true;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (CANNOT_SWAP.has(code)) return false;
      if (code === 'ENOENT') throw new Blocked(this.#parts.directories.path(place));
      throw error;
    }
  }

  #renameOver(
    place: Place,
    source: string,
    target: string,
    base: { kept: string; disk: DiskStamp },
  ): void {
    const { directories, files } = this.#parts;
    try {
      files.link(target, base.kept);
    } catch (error) {
      if (!CANNOT_LINK.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    const facts = directories.facts(target);
    if (facts === null || !isSameBytes(facts, base.disk)) {
      files.remove(base.kept);
      throw new Blocked(directories.path(place));
    }
    files.rename(source, target);
  }

  /** Makes a name for the vnode; one that is there already and is it, will do. */
  link(fid: Fid, from: Place, path: string, place: Place): void {
    const { directories, records } = this.#parts;
    const there = directories.facts(path);
    const inode = records.get(fid)?.disk?.inode;
    if (there !== null) {
      if (there.inode !== inode) throw new Blocked(directories.path(place));
      return;
    }
    directories.change(from.dir, (base) => {
      const source = directories.at(base, from, fid);
      if (directories.facts(source)?.inode !== inode) throw new Blocked(directories.path(from));
      this.#parts.files.link(source, path);
    });
  }

  #checkNames(names: readonly Place[], disk: DiskStamp | null): void {
    const { directories } = this.#parts;
    for (const place of names) {
      const facts = directories.factsOf(place);
      if (facts === null || disk === null || !isUntouched(facts, disk)) {
        throw new Blocked(directories.path(place));
      }
    }
  }

  #others(fid: Fid, first: Place, others: readonly Place[], disk: DiskStamp): void {
    const { directories, records, rooms, files } = this.#parts;
    for (const place of others) {
      directories.change(place.dir, (base) => {
        const target = `${base}/${place.name}`;
        const isBase = (path: string): boolean => directories.facts(path)?.inode === disk.inode;
        // A program has put another file there meanwhile: it is found as a change of its own.
        if (!isBase(target)) return;
        const extra = rooms.of(place.dir).temporary();
        this.link(fid, first, extra, place);
        if (!this.#canSwap(place, () => files.renameExchange(extra, target))) {
          return files.rename(extra, target);
        }
        if (!isBase(extra)) this.#swapBack(extra, target);
        files.remove(extra);
      });
    }
    const facts = directories.factsOf(first);
    const now = records.get(fid)?.disk ?? null;
    if (facts !== null && now !== null && others.length > 0 && isSameBytes(facts, now)) {
      records.update(fid, { disk: stampOf(facts) });
    }
  }

  /** A private file is about to be brought somewhere. */
  #stampOf(source: string): StampOf {
    const made = this.#parts.directories.facts(source);
    return (now, wall) => (made === null ? stampPlaced(now, wall) : stampBrought(now, made, wall));
  }

  #recordContents(
    status: VnodeStatus,
    path: string,
    absent: readonly string[],
    stamp: StampOf,
  ): void {
    const { directories, records } = this.#parts;
    const facts = directories.facts(path);
    const { version, digest, size, mode, mtime, xattrs } = status;
    const disk = facts === null ? null : stamp(facts, this.#parts.clock.wall());
    const away = { absent: absent.length > 0 ? absent : undefined };
    records.update(status.fid, { version, digest, size, mode, mtime, xattrs, ...away, disk });
  }
}
