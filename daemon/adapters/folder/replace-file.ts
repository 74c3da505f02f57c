/**
 * Replaces a file by another in one step, so that its name is never missing, and looks at what came out (rule F1).
 *
 * Where the file system can swap two names, what came out is in hand and can be swapped back. Elsewhere the base gets a
 * second name first, and the rename follows the check at once.
 */
import { linkSync, renameSync } from 'node:fs';
import type { Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { isSameBytes, isUntouched, stampOf, type DiskStamp } from './disk-facts.ts';
import { Blocked, type PutInPlaceParts, type Source } from './blocked.ts';
import { setAttributes } from './set-attributes.ts';

const CANNOT_SWAP = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS']);

export class Replace {
  readonly #parts: PutInPlaceParts;

  constructor(parts: PutInPlaceParts) {
    this.#parts = parts;
  }

  /** New contents for every name of a vnode: hard links are replaced as a set (rule F3). */
  contents(status: VnodeStatus, source: Source): void {
    const { directories, records, host, hasXattrs } = this.#parts;
    const { fid } = status;
    const names = records.names(fid);
    const disk = records.get(fid)?.disk ?? null;
    const [first, ...others] = names;
    if (first === undefined) throw new Blocked([]);
    directories.change(first.dir, (base) => {
      const path = `${base}/${first.name}`;
      if ('there' in source) {
        const facts = directories.facts(path);
        if (facts === null || !isUntouched(facts, stampOf(source.there))) {
          throw new Blocked(directories.path(first));
        }
        setAttributes(host, path, status, facts, hasXattrs);
      } else {
        this.#checkNames(names, disk);
        setAttributes(host, source.path, status, null, hasXattrs);
        this.over(fid, first, source.path, path);
      }
      this.#recordContents(status, path);
    });
    if (!('there' in source) && disk !== null) this.#others(fid, first, others, disk);
  }

  /** Renames `source` over `target`, which `fid` has as `place`, if it is as recorded; the base is kept for a while. */
  over(fid: Fid, place: Place, source: string, target: string): void {
    const { directories, records, host, late } = this.#parts;
    const disk = records.get(fid)?.disk ?? null;
    const facts = directories.facts(target);
    if (facts === null || disk === null || !isSameBytes(facts, disk)) {
      throw new Blocked(directories.path(place));
    }
    const kept = late.place(fid, facts, place.name);
    try {
      host.renameExchange(source, target);
    } catch (error) {
      if (!CANNOT_SWAP.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      linkSync(target, kept);
      renameSync(source, target);
      return;
    }
    const out = directories.facts(source);
    if (out === null || !isSameBytes(out, disk)) {
      host.renameExchange(source, target);
      throw new Blocked(directories.path(place));
    }
    renameSync(source, kept);
    late.kept(kept);
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
      const source = `${base}/${from.name}`;
      if (directories.facts(source)?.inode !== inode) throw new Blocked(directories.path(from));
      linkSync(source, path);
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
    const { directories, records, own } = this.#parts;
    for (const place of others) {
      directories.change(place.dir, (base) => {
        const target = `${base}/${place.name}`;
        const facts = directories.facts(target);
        // A program has put another file there meanwhile: it is found as a change of its own.
        if (facts === null || !isSameBytes(facts, disk)) return;
        const extra = own.temporary();
        this.link(fid, first, extra, place);
        renameSync(extra, target);
      });
    }
    const facts = directories.factsOf(first);
    if (facts !== null && others.length > 0) records.update(fid, { disk: stampOf(facts) });
  }

  #recordContents(status: VnodeStatus, path: string): void {
    const { directories, records } = this.#parts;
    const facts = directories.facts(path);
    const { version, digest, size, mode, mtime, xattrs } = status;
    const disk = facts === null ? null : stampOf(facts);
    records.update(status.fid, { version, digest, size, mode, mtime, xattrs, disk });
  }
}
