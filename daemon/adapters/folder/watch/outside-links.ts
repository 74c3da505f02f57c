/**
 * Files that have a name outside of the folder, too: a hard link. Who writes through that name is seen by no watch, so such files are looked at
 * once in a while, each as cheaply as a name is asked for. There may be very many of them (copies made of hard links, stores of packages), so
 * only some are looked at in one go, and the others next.
 */
import type { Background } from '../background.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { FolderLimits } from '../folder-limits.ts';
import { isUntouched, type DiskFacts } from '../disk/disk-facts.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { SafeRoot } from '../disk/safe-root.ts';

export interface OutsideLinksParts {
  readonly root: Pick<SafeRoot, 'factsOrNull'>;
  readonly records: FolderRecords;
  readonly events: FolderEvents;
}

/**
 * Looks now and then at files with several names, since a write through a name outside is not
 * watched.
 */
export class OutsideLinks {
  readonly #parts: OutsideLinksParts;
  /** Inodes, the one that was looked at longest ago first. */
  readonly #inodes = new Set<string>();

  constructor(parts: OutsideLinksParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#inodes.size === 0;
  }

  /** A file as it was found in the folder. */
  found({ kind, inode, links }: DiskFacts): void {
    if (kind === 'file' && links > 1) this.#inodes.add(inode);
  }

  /** Looks at some of them every so often, as long as there are any and the folder is there. */
  lookSoon(background: Background, limits: FolderLimits, isThere: () => boolean): void {
    if (this.isEmpty) return;
    background.after('outside', limits.outsideLook, () => {
      if (isThere()) this.look(limits.outsideFiles);
      this.lookSoon(background, limits, isThere);
    });
  }

  /** Looks at so many of them. */
  look(most: number): void {
    for (const inode of [...this.#inodes].slice(0, most)) {
      this.#inodes.delete(inode);
      if (this.#lookAt(inode)) this.#inodes.add(inode);
    }
  }

  /** False: it has gone, or all of its names are in the folder. */
  #lookAt(inode: string): boolean {
    const { root, records, events } = this.#parts;
    const fid = records.byInode(inode);
    const [place, ...others] = fid === null ? [] : records.names(fid);
    const path = place === undefined ? null : records.pathOfPlace(place);
    const disk = fid === null ? null : (records.get(fid)?.disk ?? null);
    if (place === undefined || path === null || disk === null) return false;
    const facts = root.factsOrNull(path);
    if (facts === null || facts.inode !== inode) return false;
    if (!isUntouched(facts, disk)) events.emit('pathChanged', path.join('/'));
    return facts.links > 1 + others.length;
  }
}
