/**
 * What a folder is already: the data of a daemon, the data of a server, a synced folder. Each has its place to itself. A server
 * in a synced folder would hand its key to all laptops, and a key of two programs in one folder is that of neither.
 */
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GodwitError } from '../wire/error-codes.ts';
import { MARKER_FILE, OWN_DIRECTORY } from './marker.ts';

/** Who looks at a disk. */
export interface PlaceLooks {
  /** Links followed. */
  exists(path: string): boolean;
  /** Links not followed; null: nothing is there. */
  status(path: string): object | null;
  realPath(path: string): string;
}

const thisMachine: PlaceLooks = {
  exists: (path) => existsSync(path),
  status: (path) => lstatSync(path, { throwIfNoEntry: false }) ?? null,
  realPath: (path) => realpathSync(path),
};

/** Of whom a folder is. */
interface Kind {
  readonly marks: readonly string[];
  readonly words: string;
}

const SERVER: Kind = { marks: ['server.db'], words: 'the data folder of a server' };
const DAEMON: Kind = { marks: ['daemon.db', 'daemon.lock'], words: 'the data folder of a daemon' };
const SYNCED: Kind = { marks: [join(OWN_DIRECTORY, MARKER_FILE)], words: 'a synced folder' };

/** Where a server is to have its data. Throws GodwitError `folder-unusable`. */
export function refuseForServer(dataDir: string): void {
  refuseIs(dataDir, DAEMON);
  refuseWithin(dataDir, SYNCED);
}

/** Where a daemon is to have its data. Throws GodwitError `folder-unusable`. */
export function refuseForDaemon(dataDir: string): void {
  refuseIs(dataDir, SERVER);
  refuseWithin(dataDir, SYNCED);
}

/** Where a backup of a server is to lie: it holds the key. Throws GodwitError `folder-unusable`. */
export function refuseForBackup(target: string): void {
  refuseWithin(target, SYNCED);
}

/** What is to be synced. Throws GodwitError `folder-unusable`. */
export function refuseForSync(folder: string, disk: PlaceLooks = thisMachine): void {
  for (const kind of [SERVER, DAEMON]) refuseWithin(folder, kind, disk);
}

function refuseIs(path: string, kind: Kind, disk = thisMachine): void {
  if (isOf(path, kind, disk)) throw refused(path, `it is ${kind.words}`);
}

function refuseWithin(path: string, kind: Kind, disk = thisMachine): void {
  refuseIs(path, kind, disk);
  const real = realOf(path, disk);
  for (let at = dirname(real); ; at = dirname(at)) {
    if (isOf(at, kind, disk)) throw refused(path, `it lies in ${kind.words}, ${at}`);
    if (at === dirname(at)) return;
  }
}

function isOf(path: string, { marks }: Kind, disk: PlaceLooks): boolean {
  return marks.some((mark) => disk.exists(join(path, mark)));
}

function refused(path: string, why: string): GodwitError {
  return new GodwitError('folder-unusable', `${path}: ${why}`);
}

/** Of what is there; the rest of the way is as it is written. */
function realOf(path: string, disk: PlaceLooks): string {
  if (disk.status(path) === null) {
    const above = dirname(path);
    return above === path ? path : join(realOf(above, disk), basename(path));
  }
  try {
    return disk.realPath(path);
  } catch {
    return path;
  }
}
