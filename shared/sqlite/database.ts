/**
 * Opens a SQLite database of ours: WAL, every commit synced, migrations applied in order.
 *
 * A database written by a newer program is left alone (`newer-database`), one that can't be read is said to be so
 * (`damaged-database`). See migrations/README.md for the contract of the migrations.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeFilesPrivate } from '../system/private-folder.ts';
import { GodwitError } from '../wire/error-codes.ts';
import { makeSharedMemory } from './shared-memory.ts';

export type Sqlite = Database.Database;

/** The file that a database is in: another one may come to its place. */
export interface FileOfDatabase {
  readonly file: string;
  readonly dev: number;
  readonly ino: number;
}

const MIGRATION = /^(\d{4})-[a-z0-9-]+\.sql$/;
/** How long to wait for another process of ours (an administrator's command) to end its transaction. */
const BUSY_MS = 5000;

/** `migrations` is a folder of files `NNNN-what.sql`, numbered from 0001 without a gap. */
export function openDatabase(file: string, migrations: string): Sqlite {
  let database: Sqlite | null = null;
  try {
    makeOnlyOurs(file);
    database = new Database(file, { timeout: BUSY_MS });
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    checkWrites(database);
  } catch (error) {
    database?.close();
    // Statements that always hold are refused for what the file says of itself.
    throw isOfStatement(error) ? isOther(file) : databaseError(error, file);
  }
  try {
    migrate(database, file, migrations);
    checkColumns(database, file, migrations);
    return database;
  } catch (error) {
    database?.close();
    throw databaseError(error, file);
  }
}

/**
 * Likewise, for the process that has the database alone. Where the one before was cut off, or the machine was, all pages are looked at first: some
 * 100 MB take a second, and damage that is met later is met in the middle of something. Then `checkRows` looks at what the rows say, and throws
 * likewise. Throws GodwitError `damaged-database`.
 */
export function openOwnDatabase(
  file: string,
  migrations: string,
  checkRows: (database: Sqlite) => void = () => {},
): Sqlite {
  // Who closes in good order leaves none, or an empty one.
  const wasCutOff = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const database = openDatabase(file, migrations);
  try {
    if (wasCutOff) {
      checkPages(database, file);
      checkRows(database);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Are its pages, and the order in them, as SQLite has written them? What a row says is not looked at. Throws `damaged-database`. */
export function checkPages(database: Sqlite, file: string): void {
  let found: unknown;
  try {
    found = database.pragma('quick_check(1)', { simple: true });
  } catch (error) {
    throw databaseError(error, file);
  }
  if (found === 'ok') return;
  throw new GodwitError('damaged-database', `${file} is damaged: ${String(found)}`);
}

/**
 * SQLite gives what it makes beside the database the permissions of that.
 *
 * A database that is there is never opened but by SQLite. A process loses all its POSIX locks on a file when it closes any descriptor of it, also those
 * of its other connections: then another program that closes the database would take away the log that this one goes on writing to.
 */
function makeOnlyOurs(file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
    makeSharedMemory(file);
    makeFilesPrivate([file, `${file}-wal`, `${file}-shm`]);
  } catch {
    // What keeps it from being opened is SQLite's to tell.
  }
}

/**
 * What SQLite can not open to write it opens to read, without a word, and refuses the first row. So something is written that is never
 * committed, and so never on the disk.
 */
function checkWrites(database: Sqlite): void {
  database.pragma('busy_timeout = 0');
  try {
    database.exec('BEGIN IMMEDIATE');
    const version = database.pragma('user_version', { simple: true }) as number;
    database.pragma(`user_version = ${version}`);
  } catch (error) {
    // Another connection writes at this moment; the database is writable.
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error;
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
    database.pragma(`busy_timeout = ${BUSY_MS}`);
  }
}

function migrate(database: Sqlite, file: string, folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => MIGRATION.test(name))
    .sort();
  const before = database.pragma('user_version', { simple: true }) as number;
  if (before > files.length) {
    throw new GodwitError(
      'newer-database',
      `${file} has schema ${before}, this program knows ${files.length}: it was written by a newer version of Godwit`,
    );
  }
  if (before < 0) throw isOther(file);
  files.forEach((name, index) => {
    const number = Number(MIGRATION.exec(name)?.[1]);
    if (number !== index + 1) throw new Error(`migration ${name} is out of sequence`);
  });
  const apply = database.transaction(() => {
    // Read again under the write lock: another process may have migrated meanwhile.
    const current = database.pragma('user_version', { simple: true }) as number;
    for (const name of files.slice(current)) {
      database.exec(readFileSync(join(folder, name), 'utf8'));
      database.pragma(`user_version = ${Number(MIGRATION.exec(name)?.[1])}`);
    }
  });
  if (before === files.length) return;
  try {
    apply.immediate();
  } catch (error) {
    // The tables that it is to begin with are there, or those that it goes on from are not.
    throw isOfStatement(error) ? isOther(file) : error;
  }
}

/** By the folder of the migrations: `table.column`. */
const columns = new Map<string, readonly string[]>();

/** A database of some other program may have our number of a schema. What we have a statement for must be there. */
function checkColumns(database: Sqlite, file: string, folder: string): void {
  let wanted = columns.get(folder);
  if (wanted === undefined) {
    const fresh = new Database(':memory:');
    try {
      migrate(fresh, ':memory:', folder);
      wanted = columnsOf(fresh);
    } finally {
      fresh.close();
    }
    columns.set(folder, wanted);
  }
  const there = new Set(columnsOf(database));
  if (!wanted.every((column) => there.has(column))) throw isOther(file);
}

function columnsOf(database: Sqlite): string[] {
  return database
    .prepare<[], string>(
      "SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c" +
        " WHERE t.type = 'table'",
    )
    .pluck()
    .all();
}

const isOfStatement = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'SQLITE_ERROR';

function isOther(file: string): GodwitError {
  return new GodwitError('damaged-database', `${file} does not hold the tables it should`);
}

/** SQLite's error as one of ours where it is of the world; any other comes back as it is. */
export function databaseError(error: unknown, file: string): unknown {
  if (error instanceof GodwitError) return error;
  const code = (error as { code?: unknown }).code;
  // What a program writes has the type of its column, unless it was read from a damaged page.
  const isDamage = code === 'SQLITE_NOTADB' || code === 'SQLITE_CONSTRAINT_DATATYPE';
  if (isDamage || String(code).startsWith('SQLITE_CORRUPT')) {
    return new GodwitError('damaged-database', `${file} is not a readable database`);
  }
  // The first thing a full disk refuses at the start is the room that processes share beside the database.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') {
    return new GodwitError('disk-full', `no room for ${file}: the disk is full`);
  }
  if (String(code).startsWith('SQLITE_IOERR')) {
    return new GodwitError(
      'disk-failing',
      `the disk can not read or write ${file} (${String(code)})`,
    );
  }
  if (
    code === 'SQLITE_CANTOPEN' &&
    statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
  ) {
    return new GodwitError('in-the-way', `${file}: a folder is there, where a database is to be`);
  }
  if (String(code).startsWith('SQLITE_READONLY') || String(code).startsWith('SQLITE_CANTOPEN')) {
    return new GodwitError(
      'folder-unusable',
      `${file} can not be opened to write (${String(code)})`,
    );
  }
  return error;
}
