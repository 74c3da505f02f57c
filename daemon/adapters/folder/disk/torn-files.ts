/**
 * Files that nobody has written since they were recorded, as their times tell, and that have other contents: a disk lost what it had not made durable.
 *
 * A program may have given its file an older time (rsync, tar), which the disk lost as well: then the time of change tells, which nobody sets.
 */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Disk } from './disk.ts';
import { stampOf, type DiskFacts, type DiskStamp } from './disk-facts.ts';
import type { InDirectory } from './in-directory.ts';
import type { SafeRoot } from './safe-root.ts';

export interface TornFilesParts {
  readonly root: SafeRoot;
  readonly directories: InDirectory;
  readonly files: Pick<Disk, 'digestFile'>;
}

/** Tells which files are torn. */
export class TornFiles {
  readonly #parts: TornFilesParts;

  constructor(parts: TornFilesParts) {
    this.#parts = parts;
  }

  /** The stamp of the file there if it is torn; null: it is not, or can't be read now. `disk` and `digest`: as it was recorded. */
  async at(place: Place, disk: DiskStamp, digest: Digest): Promise<DiskStamp | null> {
    const { root, directories, files } = this.#parts;
    try {
      const facts = directories.factsOf(place);
      if (facts === null || !isNoLater(facts, disk)) return null;
      if (facts.size !== disk.size) return stampOf(facts);
      const read = await root.reading(directories.path(place), (file) => files.digestFile(file));
      return read.digest === digest ? null : stampOf(facts);
    } catch {
      return null;
    }
  }

  /** The file of this stamp has that name, or nobody can tell. */
  isAt(place: Place, { inode }: DiskStamp): boolean {
    try {
      return this.#parts.directories.factsOf(place)?.inode === inode;
    } catch {
      return true;
    }
  }
}

function isNoLater(facts: DiskFacts, disk: DiskStamp): boolean {
  if (facts.inode !== disk.inode) return false;
  return BigInt(facts.mtime) <= BigInt(disk.mtime) || isUnchanged(facts.ctime, disk.ctime);
}

/** Not every disk has a time of change. */
function isUnchanged(now: string, before: string): boolean {
  return [now, before].every((time) => /^\d+$/.test(time)) && BigInt(now) <= BigInt(before);
}
