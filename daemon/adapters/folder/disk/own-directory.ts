/**
 * Our directory in the root, on the folder's own file system so that what is made in it can be renamed into place. Private,
 * never synced, with a marker that says whose folder this is.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  MARKER_FILE,
  OWN_DIRECTORY,
  readMarker,
  type Marker,
} from '../../../../shared/control/marker.ts';
import { makeFilesPrivate, makeFoldersPrivate } from '../../../../shared/system/private-folder.ts';

const NOTE =
  'Godwit keeps this folder in sync. This directory is its own; without it the folder counts as another one.';
const IGNORE = '.gitignore';

/**
 * Keeps our private directory in the root, with its marker, its lock file and its temporary files.
 */
export class OwnDirectory {
  readonly path: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.path = join(root, OWN_DIRECTORY);
  }

  /** Whoever keeps the folder in sync holds a lock on it. */
  get lockFile(): string {
    return join(this.path, 'lock');
  }

  readMarker(): Marker | null {
    return readMarker(this.#root);
  }

  writeMarker(marker: Marker): void {
    this.prepare();
    this.#ensure(MARKER_FILE, `${JSON.stringify({ ...marker, note: NOTE }, null, 2)}\n`);
  }

  /** Makes what is missing of it, and removes what an ended run left half made. */
  prepare(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const rooms = ['tmp', 'late', 'parked', 'lost+found'].map((room) => join(this.path, room));
    for (const room of rooms) mkdirSync(room, { recursive: true, mode: 0o700 });
    // Of before. What is in the rooms are people's files, as they made them.
    makeFoldersPrivate([this.path, ...rooms]);
    makeFilesPrivate([
      this.lockFile,
      ...[MARKER_FILE, IGNORE].map((name) => join(this.path, name)),
    ]);
    // A repository whose root is the synced folder has nothing new to show.
    this.#ensure(IGNORE, '*\n');
    for (const name of readdirSync(join(this.path, 'tmp'))) {
      rmSync(join(this.path, 'tmp', name), { force: true, recursive: true });
    }
  }

  /** Written only where it is not there already: then a full disk is no obstacle. */
  #ensure(name: string, text: string): void {
    const file = join(this.path, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /** A name that nothing has. */
  temporary(): string {
    return join(this.path, 'tmp', randomBytes(12).toString('hex'));
  }

  room(name: 'late' | 'lost+found', file: string): string {
    return join(this.path, name, file);
  }

  /** The name in the root under which something is parked: the one kind of name that holds a slash. */
  parkedName(fid: string): string {
    return `${OWN_DIRECTORY}/parked/${fid}`;
  }
}

/** A name that may be one of those, as that of a file in another directory. */
export function ownName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** A name in our own directory: left there by a plan that was not finished, or by a conflict. */
export function isParked({ name }: { readonly name: string }): boolean {
  return name.includes('/');
}
