/** Opens the database of a server: for the server itself, and for an administrator's command beside it. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  databaseError,
  openDatabase,
  openOwnDatabase,
  type Sqlite,
} from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { SEALS_AT_START } from '../../limits.ts';
import { checkSeals } from './check-seals.ts';
import { checkRowSeals, sealRows } from './row-seals.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/server/', import.meta.url));

/**
 * Opens a server's database for an administrator's command. Throws GodwitError `damaged-database`.
 */
export function openServerDatabase(file: string): Sqlite {
  refuseLost(file);
  return sealing(openDatabase(file, MIGRATIONS), file);
}

/** Opens a server's database for `work`, and closes it when that has ended. Throws GodwitError `damaged-database`. */
export function withServerDatabase<T>(file: string, work: (database: Sqlite) => T): T {
  const database = openServerDatabase(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** For the server itself. Only administrators' commands open it meanwhile; they write little and end soon. Throws GodwitError `damaged-database`. */
export function openOwnServerDatabase(file: string): Sqlite {
  refuseLost(file);
  let wasCutOff = false;
  const opened = openOwnDatabase(file, MIGRATIONS, (database) => {
    checkSeals(database, file, SEALS_AT_START);
    wasCutOff = true;
  });
  const database = sealing(opened, file);
  try {
    checkRowSeals(database, file, wasCutOff);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function sealing(database: Sqlite, file: string): Sqlite {
  try {
    sealRows(database);
    return database;
  } catch (error) {
    database.close();
    throw databaseError(error, file);
  }
}

/**
 * A new database beside contents would name none of them, and what no version names is removed after some days. An empty file
 * is none: SQLite makes a new one of it. Throws GodwitError `damaged-database`.
 */
function refuseLost(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  const above = dirname(file);
  if (!hasFiles(join(above, 'packs')) && !hasFiles(join(above, 'contents'))) return;
  const what = size === undefined ? 'is missing' : 'is empty';
  const which = `the contents that ${basename(file)} named are there`;
  throw new GodwitError('damaged-database', `${file} ${what}, and ${which}`);
}

/** Contents lie two deep at most, and an empty file holds none. */
function hasFiles(folder: string): boolean {
  return entriesOf(folder).some((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory()
      ? entriesOf(path).length > 0
      : (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not there, or no folder: then nothing is lost by a new database.
    return [];
  }
}
