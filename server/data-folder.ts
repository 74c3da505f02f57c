/** The data folder of a server: what lies where, and how it is made. */
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../shared/ports/host.ts';
import { diskError } from '../shared/system/disk-error.ts';
import { writeDurably } from '../shared/system/durable-file.ts';
import { isNoRoom, noRoomIn } from '../shared/system/free-disk.ts';
import { makeFolder } from '../shared/system/make-folder.ts';
import { makePrivate } from '../shared/system/private-folder.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';

/** Less than this, and a folder or a lock is all that fits. */
const LEAST_BYTES = 1_000_000;

export interface DataFolder {
  readonly path: string;
  /** Held while a server runs on it. */
  readonly lock: string;
  /** Held by who needs that nobody else removes contents: a backup, a collection, a repair. */
  readonly maintenanceLock: string;
  readonly database: string;
  /** Key and certificate: a secret. */
  readonly identity: string;
  /** What the Link receives, until it is taken. On the file system of the contents. */
  readonly spool: string;
  /** Begun parts of uploads, and deltas. On the file system of the contents, too. */
  readonly streams: string;
  /** Room that is given up when the disk is full. */
  readonly reserve: string;
  /** `HOST:PORT` as last listened on: where an invitation leads to. */
  readonly listening: string;
}

/** Names the files and folders in the data folder of a server. It makes none of them. */
export function dataFolder(path: string): DataFolder {
  return {
    path,
    lock: join(path, 'lock'),
    maintenanceLock: join(path, 'upkeep.lock'),
    database: join(path, 'server.db'),
    identity: join(path, 'identity.json'),
    spool: join(path, 'spool'),
    streams: join(path, 'streams'),
    reserve: join(path, 'reserve'),
    listening: join(path, 'listening'),
  };
}

/** Some are made when they are first needed: what else lies there would be found by the first upload, or when the disk is full. */
const FOLDERS = ['contents', 'packs', 'quarantine', 'spool', 'streams'];
const FILES = [
  'contents.db',
  'identity.json',
  'listening',
  'lock',
  'reserve',
  'server.db',
  'upkeep.lock',
];
/** Of a server that runs. */
const SOCKET = 'control.sock';

/** Before anything is done with the folder. Throws GodwitError `in-the-way`. */
function refuseOtherKinds({ path }: DataFolder): void {
  for (const name of FOLDERS) {
    const what = kindOf(join(path, name));
    if (what === 'nothing' || what === 'folder') continue;
    throw inTheWay(join(path, name), `a ${what} is there, where a folder is to be`);
  }
  for (const name of FILES) {
    const what = kindOf(join(path, name));
    // Whoever opens a pipe waits for its other end.
    if (what !== 'folder' && what !== 'special file') continue;
    throw inTheWay(join(path, name), `a ${what} is there, where a file is to be`);
  }
}

/** Links are followed; one that leads nowhere is in the way of a folder that is to be made. */
function kindOf(path: string): 'nothing' | 'folder' | 'file' | 'special file' | 'link to nowhere' {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return 'folder';
  if (found !== undefined) return found.isFile() ? 'file' : 'special file';
  const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return isLink ? 'link to nowhere' : 'nothing';
}

const inTheWay = (path: string, why: string): GodwitError =>
  new GodwitError('in-the-way', `${path}: ${why}`);

/** Makes what is missing. Throws GodwitError `folder-unusable`, `in-the-way`, `disk-full`, `disk-failing`. */
export function makeDataFolder(folder: DataFolder): void {
  try {
    refuseOtherKinds(folder);
    makeFolder(folder.path, 0o700);
    makePrivate(folder.path, {
      isKnown: (name) => FILES.includes(name) || FOLDERS.includes(name),
      isOurs: (name) =>
        name === 'log' || name === SOCKET || FILES.some((each) => name.startsWith(`${each}-`)),
    });
    for (const path of [folder.spool, folder.streams]) makeFolder(path, 0o700);
  } catch (error) {
    throw unusable(folder.path, error);
  }
}

/** What a process that ended had received and not taken is of no use: its sender has no answer, and sends again. */
export function emptySpool(folder: DataFolder): void {
  for (const name of readdirSync(folder.spool)) {
    rmSync(join(folder.spool, name), { recursive: true, force: true });
  }
}

/**
 * Writes the address that the server listens on durably into the data folder. Throws what the disk
 * says.
 */
export function rememberListening(folder: DataFolder, address: string, host: Host): void {
  writeDurably(folder.listening, `${address}\n`, host);
}

/** Null: no server has listened yet. */
export function lastListening(folder: DataFolder): string | null {
  try {
    return readFileSync(folder.listening, 'utf8').trim();
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    throw unusable(folder.listening, error);
  }
}

/** The refusal of what needs a server that is stopped; `what` runs. */
export function mustStop(what: string): GodwitError {
  return new GodwitError('already-running', what, 'stop it, then say it again');
}

/** Null: another process has the folder. Throws GodwitError `folder-unusable`, `in-the-way`, `disk-full`, `disk-failing`. */
export function lockData(folder: DataFolder, host: Host): { release(): void } | null {
  try {
    return host.lockFile(folder.lock);
  } catch (error) {
    throw unusable(folder.path, error);
  }
}

/** What keeps the folder from being used; a disk that is full or fails has a code and a remedy of its own. */
export function unusable(path: string, error: unknown): GodwitError {
  if (isNoRoom(error)) return new GodwitError('disk-full', noRoomIn(path, LEAST_BYTES));
  const told = diskError(path, error);
  if (told instanceof GodwitError) return told;
  const why = error instanceof Error ? error.message : String(error);
  return new GodwitError('folder-unusable', `${path} can't be used: ${why}`);
}

/** For a command beside the server, or without one. Throws GodwitError `no-server`, `in-the-way`. */
export function startedFolder(dataDir: string): DataFolder {
  const folder = dataFolder(dataDir);
  if (!existsSync(folder.database)) throw neverStarted(folder);
  refuseOtherKinds(folder);
  return folder;
}

export function neverStarted(folder: DataFolder): GodwitError {
  return new GodwitError('no-server', `${folder.path}: no server was started there yet`);
}

/** Throws GodwitError `upkeep-running`, `folder-unusable`. */
export function lockMaintenance(folder: DataFolder, host: Host): { release(): void } {
  let lock;
  try {
    lock = host.lockFile(folder.maintenanceLock);
  } catch (error) {
    throw unusable(folder.path, error);
  }
  if (lock !== null) return lock;
  const what = `${folder.path} is just being backed up, collected or repaired`;
  throw new GodwitError('upkeep-running', what);
}
