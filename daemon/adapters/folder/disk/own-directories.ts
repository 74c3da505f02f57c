/**
 * Where things of ours are made, kept for a while or parked: on the disk on which they get their place, or had it, for nothing is renamed from
 * one disk to another. On the folder's own disk that is our directory in the root; on one that is mounted in the folder, a private directory at
 * its top. So whatever is put in place there has its name in one step, and survives a crash whole or not at all, as in the rest of the folder.
 *
 * Invariants
 * 1. A room is made and emptied only where the top of its disk is the directory that was recorded: never on what lies beneath.
 * 2. It has the folder's token in its name, and is ignored by that wherever it lies: two folders that share a disk leave each other's alone.
 * 3. A room that its disk refuses is not tried again before `retry`, or until the top of the disk has other permissions: a try may let us into that
 *    directory for a moment, which shows as a change, and every change leads to whoever wants the room.
 * 4. What an ended run left half made in it is removed once, before it is first used; with nothing in it, it goes when the folder is closed.
 */
import { ROOM_PREFIX } from '../../../../shared/control/marker.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import { after, type Instant } from '../../../../shared/model/time.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Random } from '../../../../shared/ports/random.ts';
import type { FolderLimits } from '../folder-limits.ts';
import { there, type Disk } from './disk.ts';
import { kindOf } from './disk-facts.ts';
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
  /** A place that nothing has, for a name of a vnode that is parked there. */
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
  readonly files: Disk;
  readonly random: Pick<Random, 'hex'>;
  readonly own: OwnDirectory;
  readonly records: RecordedPaths;
  readonly directories: Pick<InDirectory, 'change'>;
  readonly mounts: MountedDisks;
  /** What the folder is known by. */
  readonly token: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<FolderLimits, 'retry'>;
}

/** Why there is no room on a disk. */
interface Refusal {
  readonly disk: string;
  /** Of the top of the disk, as it is recorded. */
  readonly mode: number | undefined;
  readonly error: unknown;
  readonly until: Instant;
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
  /** By the tops of disks. */
  readonly #refusals = new Map<Fid, Refusal>();

  constructor(parts: OwnDirectoriesParts) {
    this.#parts = parts;
    this.#name = `${ROOM_PREFIX}${parts.token}`;
    const { own, records } = parts;
    this.#home = {
      disk: '',
      path: own.path,
      temporary: () => own.temporary(),
      room: (name, file) => own.room(name, file),
      parked: (fid) => this.#freePlace(records.root, own.parkedName(fid)),
    };
  }

  /** The disk of a recorded directory: names of one can be renamed to names of the same. */
  diskOf(dir: Fid): string {
    const top = this.#parts.mounts.topOf(dir);
    return top === null ? '' : this.#diskAt(top);
  }

  /** The room on the disk of a recorded directory; it is there then. Throws PathChanged, and what the disk says, or has said a moment ago. */
  of(dir: Fid): Room {
    const { root, files, records, mounts } = this.#parts;
    const top = mounts.topOf(dir);
    if (top === null) return this.#home;
    if (root.isSilent(records.pathOf(top) ?? [])) throw silence();
    const known = this.#rooms.get(top);
    const room = this.#roomAt(top);
    const isKnown = known?.disk === room.disk && known.path === room.path;
    if (isKnown && files.exists(room.room('late', ''))) return known;
    this.#make(top, room);
    this.#rooms.set(top, room);
    return room;
  }

  #make(top: Fid, room: Room): void {
    const { records, clock, limits, files } = this.#parts;
    const mode = records.get(top)?.disk?.mode;
    const refusal = this.#refusals.get(top);
    const isSame = refusal?.disk === room.disk && refusal.mode === mode;
    if (isSame && clock.now() < refusal.until) throw refusal.error;
    this.#refusals.delete(top);
    try {
      this.#prepare(top, room);
      // In a directory that nobody may enter it can be made, and not used.
      const late = room.room('late', '');
      there(files.status(late), late);
    } catch (error) {
      // That is about to be looked at, and is another place then.
      if (error instanceof PathChanged) throw error;
      const until = after(clock.now(), limits.retry);
      this.#refusals.set(top, { disk: room.disk, mode, error, until });
      throw error;
    }
  }

  /** Those that are there now. */
  all(): Room[] {
    const { mounts, records, root, files } = this.#parts;
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
      .filter((room) => files.exists(room.room('late', '')));
    return [this.#home, ...rooms];
  }

  /** The folder is closed: those in which nothing is kept go. */
  end(): void {
    const { directories, files } = this.#parts;
    for (const top of [...this.#rooms.keys()]) {
      try {
        directories.change(top, (base) => removeEmpty(files, `${base}/${this.#name}`));
      } catch {
        // The disk is not there any more, or something is kept in it.
      }
      this.#rooms.delete(top);
    }
    this.#refusals.clear();
  }

  #diskAt(top: Fid): string {
    return `${top} ${this.#parts.records.get(top)?.disk?.inode ?? ''}`;
  }

  #roomAt(top: Fid): Room {
    const { root, records, random } = this.#parts;
    const path = root.join(...(records.pathOf(top) ?? []), this.#name);
    return {
      disk: this.#diskAt(top),
      path,
      temporary: () => `${path}/tmp/${random.hex(12)}`,
      room: (name, file) => `${path}/${name}/${file}`,
      parked: (fid) => this.#freePlace(top, `${this.#name}/parked/${fid}`),
    };
  }

  /** Another name of the same file may be parked already. */
  #freePlace(dir: Fid, first: string): Place {
    const { records } = this.#parts;
    let place = { dir, name: first };
    for (let n = 2; records.at(dir, place.name) !== null; n++)
      place = { dir, name: `${first}.${n}` };
    return place;
  }

  #prepare(top: Fid, { disk }: Room): void {
    const { directories, records, files } = this.#parts;
    if (records.get(top)?.disk === null) throw new PathChanged(records.pathOf(top) ?? []);
    directories.change(top, (base) => {
      const path = `${base}/${this.#name}`;
      makeDirectory(files, path);
      for (const part of PARTS) makeDirectory(files, `${path}/${part}`);
      // A repository at the top of the disk has nothing new to show.
      const ignore = `${path}/${IGNORE}`;
      if (!files.exists(ignore)) files.writeText(ignore, '*\n', 0o666);
      if (this.#emptied.has(disk)) return;
      for (const name of files.names(`${path}/tmp`)) files.removeTree(`${path}/tmp/${name}`);
      this.#emptied.add(disk);
    });
  }
}

/** No link to one: what is done in it is done on this disk. */
function makeDirectory(files: Disk, path: string): void {
  try {
    files.makeDirectory(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (kindOf(there(files.status(path), path)) !== 'directory') throw error;
  }
}

/** All of it or, where something is kept in it, none that would be missed. Throws ENOTEMPTY. */
function removeEmpty(files: Disk, path: string): void {
  files.removeTree(`${path}/tmp`);
  for (const part of PARTS) {
    if (files.exists(`${path}/${part}`)) files.removeDirectory(`${path}/${part}`);
  }
  files.remove(`${path}/${IGNORE}`);
  files.removeDirectory(path);
}
