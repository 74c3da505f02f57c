/**
 * The disks of the folder: its own, and those that are mounted in it. Each is tried when something is first done there, in our room on it, and has
 * names, links and permissions as it can have them.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { there, type Disk } from './disk.ts';
import type { OwnDirectories } from './own-directories.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { DiskAbilities } from './disk-abilities.ts';
import { FolderDisk } from './folder-disk.ts';
import type { RecordedPaths } from './in-directory.ts';
import type { SafeRoot } from './safe-root.ts';

export interface FolderDisksParts {
  /** The folder's own. */
  readonly disk: FolderDisk;
  /** Every call, whatever the disk makes of it. */
  readonly rawFiles: Disk;
  readonly records: RecordedPaths;
  readonly rooms: OwnDirectories;
  readonly root: Pick<SafeRoot, 'join'>;
  readonly board: ErrorBoard;
}

/** What hands out disks. */
export type Disks = Pick<FolderDisks, 'at' | 'canAt' | 'holding'>;

/**
 * Gives the disk of a directory or path: the folder's own, or one that is mounted in the folder.
 */
export class FolderDisks {
  readonly #parts: FolderDisksParts;
  /** By what tells disks apart. */
  readonly #below = new Map<string, { disk: FolderDisk; path: string }>();

  constructor(parts: FolderDisksParts) {
    this.#parts = parts;
  }

  /** That of a recorded directory. What can't be tried just now is taken for the folder's own. */
  at(dir: Fid): FolderDisk {
    const { disk, rooms } = this.#parts;
    const key = rooms.diskOf(dir);
    if (key === '') return disk;
    const known = this.#below.get(key);
    if (known !== undefined) return known.disk;
    try {
      return this.#try(dir, key);
    } catch {
      // Read only, or not there: whoever writes there says so.
      return disk;
    }
  }

  /** That of what has this path, or would have it. */
  holding(path: readonly string[]): FolderDisk {
    const { records } = this.#parts;
    return this.at(records.directoryAt(path.slice(0, -1)) ?? records.root);
  }

  /** What can be done at a path on the disk, where something has the path `shown` in the folder, or is about to have it. */
  canAt(path: string, shown: readonly string[]): DiskAbilities {
    // So that this disk has been tried.
    this.holding(shown);
    return this.#parts.disk.canAt(path);
  }

  /** Something else is mounted than before: what is not there any more is forgotten. */
  refresh(): void {
    const { rooms, board, records } = this.#parts;
    for (const [key, { path }] of this.#below) {
      const dir = records.directoryAt(path.split('/'));
      if (dir !== null && rooms.diskOf(dir) === key) continue;
      this.#below.delete(key);
      board.clear('disk-limits', path);
    }
  }

  #try(dir: Fid, key: string): FolderDisk {
    const { disk, rawFiles, rooms, board, root } = this.#parts;
    const room = rooms.of(dir);
    const found = new FolderDisk(rawFiles, room);
    found.look();
    disk.knows(there(rawFiles.status(room.path), room.path).dev, found.can);
    const path = room.path.slice(root.join('').length).split('/').filter(Boolean).slice(0, -1);
    found.tell(board, path.join('/'));
    this.#below.set(key, { disk: found, path: path.join('/') });
    return found;
  }
}
