/**
 * Our directory in the root, on the folder's own file system so that what is made in it can be renamed into place. Private,
 * never synced, with a marker that says whose folder this is.
 */
import { dirname, join } from 'node:path';
import {
  MARKER_FILE,
  OWN_DIRECTORY,
  readMarker,
  type Marker,
} from '../../../../shared/control/marker.ts';
import type { Random } from '../../../../shared/ports/random.ts';
import type { Disk } from './disk.ts';
import { kindOf, type DiskKind } from './disk-facts.ts';

const NOTE =
  'Godwit keeps this folder in sync. This directory is its own; without it the folder counts as another one.';
const IGNORE = '.gitignore';
const LOCK = 'lock';
const ROOMS = ['tmp', 'late', 'parked', 'lost+found'];

/** What its owner may do, and what group and others may. */
const OWNER = 0o700;
const OTHERS = 0o077;
/** A file system that keeps no permissions, or has them from who mounted it, lets none be changed. */
const NO_MODES = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EROFS']);

/**
 * Keeps our private directory in the root, with its marker, its lock file and its temporary files.
 */
export class OwnDirectory {
  readonly path: string;
  readonly #root: string;
  readonly #files: Disk;
  readonly #random: Pick<Random, 'hex'>;
  readonly #name: string;

  constructor(root: string, files: Disk, random: Pick<Random, 'hex'>, name = OWN_DIRECTORY) {
    this.#root = root;
    this.#files = files;
    this.#random = random;
    this.#name = name;
    this.path = join(root, name);
  }

  /** Whoever keeps the folder in sync holds a lock on it. */
  get lockFile(): string {
    return join(this.path, LOCK);
  }

  get markerFile(): string {
    return join(this.path, MARKER_FILE);
  }

  readMarker(): Marker | null {
    return readMarker(this.#root, this.#files, this.#name);
  }

  /** Durable when it returns: whoever knows the folder by its marker takes one without for another folder. */
  writeMarker(marker: Marker): void {
    this.prepare();
    this.#ensure(MARKER_FILE, `${JSON.stringify({ ...marker, note: NOTE }, null, 2)}\n`);
    for (const directory of [this.path, this.#root]) this.#files.syncDirectory(directory);
    try {
      this.#files.syncDirectory(dirname(this.#root));
    } catch (error) {
      // One that may not be listed was there before the folder.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
  }

  /** Makes what is missing of it, and removes what an ended run left half made. */
  prepare(): void {
    const folders = [this.path, ...ROOMS.map((room) => join(this.path, room))];
    for (const folder of folders) this.#files.makeDirectories(folder, OWNER);
    // Of before. What is in the rooms are people's files, as they made them.
    for (const folder of folders) this.#makePrivate(folder, 'directory');
    const own = [MARKER_FILE, IGNORE].map((name) => join(this.path, name));
    for (const file of [this.lockFile, ...own]) this.#makePrivate(file, 'file');
    // A repository whose root is the synced folder has nothing new to show.
    this.#ensure(IGNORE, '*\n');
    for (const name of this.#files.names(join(this.path, 'tmp'))) {
      this.#files.removeTree(join(this.path, 'tmp', name));
    }
  }

  #makePrivate(path: string, kind: DiskKind): void {
    const status = this.#files.statusBehind(path);
    if (status === null || kindOf(status) !== kind) return;
    const mode = Number(status.mode);
    if ((mode & OTHERS) === 0) return;
    try {
      this.#files.setMode(this.#files.realPath(path), mode & OWNER);
    } catch (error) {
      if (!NO_MODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  /** Written only where it is not there already: then a full disk is no obstacle. */
  #ensure(name: string, text: string): void {
    const file = join(this.path, name);
    if (this.#files.exists(file) && this.#files.readText(file) === text) return;
    const made = `${file}.new`;
    this.#files.remove(made);
    this.#files.writeNew(made, text);
    this.#files.rename(made, file);
  }

  /** A name that nothing has. */
  temporary(): string {
    return join(this.path, 'tmp', this.#random.hex(12));
  }

  room(name: 'late' | 'lost+found', file: string): string {
    return join(this.path, name, file);
  }

  /** The name in the root under which something is parked: the one kind of name that holds a slash. */
  parkedName(fid: string): string {
    return `${this.#name}/parked/${fid}`;
  }
}

/** Whoever keeps the folder at `root` in sync holds a lock on it. */
export function lockFileIn(root: string): string {
  return join(root, OWN_DIRECTORY, LOCK);
}

/** A name that may be one of those, as that of a file in another directory. */
export function ownName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** A name in our own directory: left there by a plan that was not finished, or by a conflict. */
export function isParked({ name }: { readonly name: string }): boolean {
  return name.includes('/');
}
