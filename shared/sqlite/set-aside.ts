/** A damaged database is moved aside, not removed: an expert may still read it. */
import { closeSync, existsSync, lstatSync, openSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../system/make-folder.ts';
import type { Sqlite } from './database.ts';

/** In the data folder. */
export const SET_ASIDE = 'set-aside';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const BESIDE = ['-wal', '-shm', ''] as const;

/** Whether there is a database. */
export function isDatabaseThere(file: string): boolean {
  return existsSync(file);
}

/** Moves a database that nobody has open, and what SQLite keeps beside it. Gives where it is; null: there is none. */
export function moveAside(file: string, dataDir: string): string | null {
  if (!isThere(file)) return null;
  const to = freeName(file, dataDir);
  // The database last: a crash before it leaves one that is opened again, and found damaged.
  for (const end of BESIDE) {
    if (isThere(`${file}${end}`)) renameSync(`${file}${end}`, `${to}${end}`);
  }
  return to;
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A copy of one that is open. Gives where it is. Throws as SQLite does. */
export function copyAside(database: Sqlite, dataDir: string): string {
  const to = freeName(database.name, dataDir);
  closeSync(openSync(to, 'wx', PRIVATE_FILE));
  database.prepare('VACUUM INTO ?').run(to);
  return to;
}

function freeName(file: string, dataDir: string): string {
  const folder = join(dataDir, SET_ASIDE);
  makeFolder(folder, PRIVATE_FOLDER);
  for (let number = 1; ; number++) {
    const to = join(folder, `${number}-${basename(file)}`);
    if (!existsSync(to)) return to;
  }
}
