/**
 * Where things of ours are made, kept for a while or parked: on the disk on which they get their place, or had it, for nothing is renamed from
 * one disk to another. On the folder's own disk that is our directory in the root; on one that is mounted in the folder, a private directory at
 * its top. So whatever is put in place there has its name in one step, and survives a crash whole or not at all, as in the rest of the folder.
 *
 * Invariants
 * 1. A room is made and emptied only where the top of its disk is the directory that was recorded: never on what lies beneath.
 * 2. It has the folder's token in its name, and is ignored by that wherever it lies: two folders that share a disk leave each other's alone.
 * 3. What an ended run left half made in it is removed once, before it is first used; with nothing in it, it goes when the folder is closed.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { ROOM_PREFIX } from '../../../../shared/control/marker.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { InDirectory, RecordedPaths } from './in-directory.ts';
import type { MountsHere } from './mount-table.ts';
import type { OwnDirectory } from './own-directory.ts';
import type { SafeRoot } from './safe-root.ts';
import { PathChanged, silence } from './path-changed.ts';

export interface Room {
  /** The same for all rooms of one disk, as long as it is mounted; '' is the folder's own. */
  readonly disk: string;
  readonly path: string;
  /** A name that nothing has. */
  temporary(): string;
  room(name: 'late' | 'lost+found', file: string): string;
  /** The place of what is parked there. */
  parked(fid: Fid): Place;
}

/** What hands out rooms. */
export type Rooms = Pick<OwnDirectories, 'of' | 'diskOf' | 'all'>;

/** What is mounted in the folder, as far as the records know it. */
export interface MountedDisks {
  /** As the system told it when it was read last; null: it does not tell. */
  readonly here: MountsHere | null;
  /** The recorded directory at the top of the disk on which a recorded directory lies; null: that is the folder's own. */
  topOf(dir: Fid): Fid | null;
  /** The path lies on a disk that is not there. */
  isAway(path: readonly string[]): boolean;
}

export interface OwnDirectoriesParts {
  readonly root: SafeRoot;
  readonly own: OwnDirectory;
  readonly records: RecordedPaths;
  readonly directories: Pick<InDirectory, 'change'>;
  readonly mounts: MountedDisks;
  /** What the folder is known by. */
  readonly token: string;
}

const PARTS = ['tmp', 'late', 'parked', 'lost+found'] as const;
const IGNORE = '.gitignore';

/** Gives the private directory for temporary and parked files on each disk of the folder. */
export class OwnDirectories {
  readonly #parts: OwnDirectoriesParts;
  readonly #name: string;
  readonly #home: Room;
  /** By the tops of disks. */
  readonly #rooms = new Map<Fid, Room>();
  /** Disks whose rooms were emptied by this run. */
  readonly #emptied = new Set<string>();

  constructor(parts: OwnDirectoriesParts) {
    this.#parts = parts;
    this.#name = `${ROOM_PREFIX}${parts.token}`;
    const { own, records } = parts;
    this.#home = {
      disk: '',
      path: own.path,
      temporary: () => own.temporary(),
      room: (name, file) => own.room(name, file),
      parked: (fid) => ({ dir: records.root, name: own.parkedName(fid) }),
    };
  }

  /** The disk of a recorded directory: names of one can be renamed to names of the same. */
  diskOf(dir: Fid): string {
    const top = this.#parts.mounts.topOf(dir);
    return top === null ? '' : this.#diskAt(top);
  }

  /** The room on the disk of a recorded directory; it is there then. Throws PathChanged, and what the disk says. */
  of(dir: Fid): Room {
    const { root, records, mounts } = this.#parts;
    const top = mounts.topOf(dir);
    if (top === null) return this.#home;
    if (root.isSilent(records.pathOf(top) ?? [])) throw silence();
    const known = this.#rooms.get(top);
    const room = this.#roomAt(top);
    const isKnown = known?.disk === room.disk && known.path === room.path;
    if (isKnown && existsSync(room.room('late', ''))) return known;
    this.#prepare(top, room);
    this.#rooms.set(top, room);
    return room;
  }

  /** Those that are there now. */
  all(): Room[] {
    const { mounts, records, root } = this.#parts;
    const paths = [...(mounts.here?.below.keys() ?? [])].map((path) => path.split('/'));
    const mounted = paths.flatMap((path) => {
      const top = records.directoryAt(path);
      return top === null || mounts.isAway(path) ? [] : [top];
    });
    const tops = new Set([...mounted, ...this.#rooms.keys()]);
    const rooms = [...tops]
      .filter((top) => {
        const path = records.pathOf(top);
        return path !== null && !root.isSilent(path);
      })
      .map((top) => this.#roomAt(top))
      .filter((room) => existsSync(room.room('late', '')));
    return [this.#home, ...rooms];
  }

  /** The folder is closed: those in which nothing is kept go. */
  end(): void {
    for (const top of [...this.#rooms.keys()]) {
      try {
        this.#parts.directories.change(top, (base) => removeEmpty(`${base}/${this.#name}`));
      } catch {
        // The disk is not there any more, or something is kept in it.
      }
      this.#rooms.delete(top);
    }
  }

  #diskAt(top: Fid): string {
    return `${top} ${this.#parts.records.get(top)?.disk?.inode ?? ''}`;
  }

  #roomAt(top: Fid): Room {
    const { root, records } = this.#parts;
    const path = root.join(...(records.pathOf(top) ?? []), this.#name);
    return {
      disk: this.#diskAt(top),
      path,
      temporary: () => `${path}/tmp/${randomBytes(12).toString('hex')}`,
      room: (name, file) => `${path}/${name}/${file}`,
      parked: (fid) => ({ dir: top, name: `${this.#name}/parked/${fid}` }),
    };
  }

  #prepare(top: Fid, { disk }: Room): void {
    const { directories, records } = this.#parts;
    if (records.get(top)?.disk === null) throw new PathChanged(records.pathOf(top) ?? []);
    directories.change(top, (base) => {
      const path = `${base}/${this.#name}`;
      makeDirectory(path);
      for (const part of PARTS) makeDirectory(`${path}/${part}`);
      // A repository at the top of the disk has nothing new to show.
      if (!existsSync(`${path}/${IGNORE}`)) writeFileSync(`${path}/${IGNORE}`, '*\n');
      if (this.#emptied.has(disk)) return;
      for (const name of readdirSync(`${path}/tmp`)) {
        rmSync(`${path}/tmp/${name}`, { force: true, recursive: true });
      }
      this.#emptied.add(disk);
    });
  }
}

/** No link to one: what is done in it is done on this disk. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!lstatSync(path).isDirectory()) throw error;
  }
}

/** All of it or, where something is kept in it, none that would be missed. Throws ENOTEMPTY. */
function removeEmpty(path: string): void {
  rmSync(`${path}/tmp`, { force: true, recursive: true });
  for (const part of PARTS) {
    if (existsSync(`${path}/${part}`)) rmdirSync(`${path}/${part}`);
  }
  rmSync(`${path}/${IGNORE}`, { force: true });
  rmdirSync(path);
}
