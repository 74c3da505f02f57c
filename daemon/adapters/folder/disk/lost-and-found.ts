/**
 * Files that must not stay where they are, and that nobody may lose: each goes to `lost+found` in our own directory on its disk, under a name that
 * begins with its own. What lies where another volume is kept is that volume's by now, and stays.
 */
import { join, relative } from 'node:path';
import type { Fid } from '../../../../shared/model/fid.ts';
import { cutToBytes, utf8Length } from '../../../../shared/model/names.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Disk } from './disk.ts';
import type { InDirectory } from './in-directory.ts';
import { ownName } from './own-directory.ts';
import type { Rooms } from './own-directories.ts';

export interface LostAndFoundParts {
  readonly root: { readonly path: string };
  readonly files: Pick<Disk, 'renameNoReplace' | 'names'>;
  readonly directories: InDirectory;
  readonly rooms: Rooms;
  readonly records: { readonly root: Fid };
  /** Another volume is kept in a directory above the path. */
  readonly isElsewhere: (path: readonly string[]) => boolean;
}

/** Any disk takes a name of so many bytes. */
const SHORT_NAME = 40;

/** Takes files out of the synced folder. */
export class LostAndFound {
  readonly #parts: LostAndFoundParts;
  /** Null: it is to be looked. */
  #found: readonly string[] | null = null;

  constructor(parts: LostAndFoundParts) {
    this.#parts = parts;
  }

  /**
   * What lies there on the folder's own disk, by paths below its root. It is looked anew as long as there is something. Other disks may hang, and
   * whoever asks does not wait for them.
   */
  list(): readonly string[] {
    const { rooms, files, root, records } = this.#parts;
    if (this.#found?.length === 0) return [];
    try {
      const at = rooms.of(records.root).room('lost+found', '');
      this.#found = files.names(at).map((name) => relative(root.path, join(at, name)));
    } catch {
      // Of a disk that fails others tell.
    }
    return this.#found ?? [];
  }

  /** Gives the path where it is then; null: nothing was there, or what is there is another volume's. Throws PathChanged, and what the disk says; then it is where it was. */
  take(place: Place): string | null {
    const { directories, rooms, files, isElsewhere } = this.#parts;
    if (isElsewhere(directories.path(place))) return null;
    let kept: string | null = null;
    directories.change(place.dir, (base) => {
      const path = directories.at(base, place);
      const facts = directories.facts(path);
      if (facts === null) return;
      const room = rooms.of(place.dir);
      const mark = `-${room.temporary().slice(-8)}`;
      const to = room.room('lost+found', `${beginningOf(ownName(place.name), mark)}${mark}`);
      directories.moving(path, to, facts, () => files.renameNoReplace(path, to));
      kept = to;
      this.lookAgain();
    });
    return kept;
  }

  /** Something was put there. */
  lookAgain(): void {
    this.#found = null;
  }
}

/** As much of a name as fits before a mark: the two are no longer than the name, which the disk takes as it is. */
function beginningOf(name: string, mark: string): string {
  return cutToBytes(name, Math.max(utf8Length(name), SHORT_NAME) - utf8Length(mark));
}
