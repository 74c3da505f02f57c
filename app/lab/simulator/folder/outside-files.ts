/**
 * Files beside the synced folders, as programs left them: under which name is which inode, and with which bytes. What is written to an inode is known
 * wherever its names are.
 */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { Stats } from '../posix/program-calls.ts';

export interface OutsideFile {
  /** Of the inode, on its laptop. */
  readonly id: string;
  readonly digest: Digest;
}

/** Keeps account of them, by laptop and path. */
export class OutsideFiles {
  readonly #laptops = new Map<string, Map<string, OutsideFile>>();

  of(laptop: string): ReadonlyMap<string, OutsideFile> {
    return this.#of(laptop);
  }

  /** What is at a path from now on; null: nothing. */
  left(laptop: string, path: string, file: OutsideFile | null): void {
    if (file === null) this.#of(laptop).delete(path);
    else this.#of(laptop).set(path, file);
  }

  /** A program wrote to an inode in place. */
  wrote(laptop: string, id: string, digest: Digest): void {
    for (const [path, file] of this.#of(laptop)) {
      if (file.id === id) this.left(laptop, path, { id, digest });
    }
  }

  /** The disk has gone back to what it was: this is there. */
  are(laptop: string, files: ReadonlyMap<string, OutsideFile>): void {
    this.#laptops.set(laptop, new Map(files));
  }

  #of(laptop: string): Map<string, OutsideFile> {
    const known = this.#laptops.get(laptop) ?? new Map<string, OutsideFile>();
    this.#laptops.set(laptop, known);
    return known;
  }
}

export function idOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}
