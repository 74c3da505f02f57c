/**
 * The daemon's data folder: what lies where in it, and its identity.
 *
 *   config.json, invitation.json   written by `godwit up` (shared/control/config.ts)
 *   folder-move.json               while the folder goes to another place (shared/control/config.ts)
 *   identity.json                  the device's key; a secret
 *   daemon.db                      what the daemon knows (migrations/daemon)
 *   chunk-lists.db                 what edits are told against (migrations/chunk-lists); may be removed
 *   store/, spool/, transfers/     contents, and those being received or sent in part; on one file system
 *   log/                           its log
 *   folder.db                      what the folder and the volume last had in common (adapters/folder)
 *   folder-copies/                 copies of files that are in place, for who asks for them
 *   control.json                   where the control socket is, while a daemon runs
 *   set-aside/                     databases that were found damaged
 *   daemon.lock                    held while a daemon runs on the folder, with the number of its process
 *
 * What is read before the database is opened stays in files of its own: the settings, by `godwit up` and by every command; the identity, which
 * tells whether a database that is missing is lost; where the socket is, by other programs. An older daemon has left conflicts.json,
 * pause.json and pause-network.json: the database takes them in (adapters/store/side-files.ts).
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startupFailure } from '../shared/control/startup-failure.ts';
import type { Host } from '../shared/ports/host.ts';
import { RECORDS_FILE } from '../shared/control/config.ts';
import type { Identity } from '../shared/ports/transport.ts';
import { diskError } from '../shared/system/disk-error.ts';
import { writeDurably } from '../shared/system/durable-file.ts';
import { makeFolder } from '../shared/system/make-folder.ts';
import { makePrivate } from '../shared/system/private-folder.ts';
import { isWhole } from '../shared/transport/identity.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';

const PRIVATE_FOLDER = 0o700;
/** By these a folder is known as ours: what `up` writes first, and what a daemon does. */
const OURS = ['config.json', 'daemon.db', 'daemon.lock', 'identity.json'];
/** The rest, each also with what is kept beside it (`daemon.db-wal`). */
const OURS_TOO = [
  ...['daemon.db', RECORDS_FILE, 'chunk-lists.db', 'store', 'spool', 'transfers', 'log'],
  ...['mounted', 'mounted.json'],
  ...['folder-copies', 'set-aside', 'conflicts.json', 'pause.json', 'pause-network.json'],
  ...['invitation.json', 'folder-move.json', 'control.json'],
];

export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly store: string;
  readonly chunkLists: string;
  readonly spool: string;
  readonly transfers: string;
  readonly log: string;
}

export interface TakenFolder extends DataFolder {
  /** The folder at the path is the one that was taken; true as well where the disk does not say. */
  isThere(): boolean;
  release(): void;
}

/** Makes what is missing, and takes the folder for this process. Throws `folder-unusable`, `disk-full`, `disk-failing`, `already-running`. */
export function takeDataFolder(path: string, host: Host): TakenFolder {
  const folder = {
    path,
    database: join(path, 'daemon.db'),
    store: join(path, 'store'),
    chunkLists: join(path, 'chunk-lists.db'),
    spool: join(path, 'spool'),
    transfers: join(path, 'transfers'),
    log: join(path, 'log', 'daemon.log'),
  };
  let lock;
  try {
    makeFolder(path, PRIVATE_FOLDER);
    makePrivate(path, {
      isKnown: (name) => OURS.includes(name),
      isOurs: (name) => OURS_TOO.some((each) => name === each || name.startsWith(`${each}-`)),
    });
    for (const made of [folder.store, folder.spool, join(path, 'log')]) {
      makeFolder(made, PRIVATE_FOLDER);
    }
    lock = host.lockFile(lockOf(path));
  } catch (error) {
    throw startupFailure(error, { path, code: 'folder-unusable' });
  }
  if (lock === null) {
    throw new GodwitError('already-running', `${holderOf(path)} runs on ${path} already`);
  }
  tellHolder(path);
  const taken = inodeOf(lockOf(path));
  return {
    ...folder,
    isThere: () => {
      const now = inodeOf(lockOf(path));
      return taken === 'unknown' || now === 'unknown' || now === taken;
    },
    release: () => lock.release(),
  };
}

/** Null: there is no such file. */
function inodeOf(path: string): string | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev} ${found.ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? null : 'unknown';
  }
}

const lockOf = (path: string): string => join(path, 'daemon.lock');

/** For who finds the folder taken. */
function tellHolder(path: string): void {
  try {
    writeFileSync(lockOf(path), `${process.pid}\n`);
  } catch {
    // The disk is full, or fails: then nobody learns the number.
  }
}

/** What holds the lock, as it told it; a daemon that has only just taken it may not have. */
function holderOf(path: string): string {
  try {
    const pid = Number(readFileSync(lockOf(path), 'utf8'));
    if (Number.isSafeInteger(pid) && pid > 0) return `a daemon (process ${pid})`;
  } catch {
    // Then it is one of which no more is known.
  }
  return 'a daemon';
}

/** Received files that nobody took before the last end. The caller holds the folder. */
export function emptySpool({ spool }: DataFolder): void {
  for (const name of readdirSync(spool))
    rmSync(join(spool, name), { recursive: true, force: true });
}

/**
 * A new database beside the key of a device that is paired would be told by the server as a copy of the data folder, and what waited to
 * be sent is in none. An empty file is none either: SQLite makes a new one of it. Before the first hello there may be none: `isPaired`. Throws
 * GodwitError `damaged-database`.
 */
export function refuseLostDatabase({ path, database, store }: DataFolder, isPaired: boolean): void {
  const size = statSync(database, { throwIfNoEntry: false })?.size;
  const hasLog = (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (size !== undefined && (size > 0 || hasLog)) return;
  const made = [join(path, RECORDS_FILE), join(path, 'chunk-lists.db')];
  // Both are made after it, and so are contents.
  const had = made.some((file) => existsSync(file)) || namesIn(join(store, 'contents')).length > 0;
  if (!had && !(isPaired && existsSync(identityFile(path)))) return;
  const what = size === undefined ? 'is missing' : 'is empty';
  const why = 'it is what this device knows of the server, and what waits to be sent';
  throw new GodwitError('damaged-database', `${database} ${what}: ${why}`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const identityFile = (path: string): string => join(path, 'identity.json');

/** The identity of this device, made at its first start. */
export function identityOf(folder: DataFolder, make: () => Identity, host: Host): Identity {
  const file = identityFile(folder.path);
  const known = readIdentity(file);
  if (known !== null) return known;
  const { certificatePem, privateKeyPem, fingerprint } = make();
  const identity = { certificatePem, privateKeyPem, fingerprint };
  writeDurably(file, `${JSON.stringify(identity, null, 2)}\n`, host);
  return identity;
}

function readIdentity(file: string): Identity | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    // Node names no path where a folder is read.
    throw diskError(file, error);
  }
  const value = parsed(text) as Partial<Record<keyof Identity, unknown>> | null;
  const fields = [value?.certificatePem, value?.privateKeyPem, value?.fingerprint];
  const isRead = fields.every((field) => typeof field === 'string');
  if (!isRead || !isWhole(value as Identity)) {
    throw new GodwitError('damaged-database', `${file} is damaged`);
  }
  return value as Identity;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Changes with each start of the machine. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** null: the system can't tell. */
export function bootOf(): string | null {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    return null;
  }
}

/** No copy of the folder is there, and none that ran before the machine was started. Nothing where the system can't tell. */
export function placeOf({ path }: DataFolder): { place?: string } {
  const boot = bootOf();
  if (boot === null) return {};
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return { place: `${boot} ${dev} ${ino}` };
  } catch {
    return {};
  }
}
