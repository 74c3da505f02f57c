import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { GodwitError } from '../wire/error-codes.ts';
import { checkPages, databaseError, openDatabase, openOwnDatabase } from './database.ts';

const root = mkdtempSync(join(tmpdir(), 'godwit-database-'));
const migrations = join(root, 'migrations');
mkdirSync(migrations);
writeFileSync(
  join(migrations, '0001-first.sql'),
  'CREATE TABLE one (n INTEGER PRIMARY KEY, text TEXT) STRICT',
);
afterAll(() => rmSync(root, { recursive: true }));

it('a database file and the files beside it are private, also existing ones', () => {
  const file = join(root, 'some.db');
  const modes = (): number[] =>
    ['', '-wal', '-shm'].map((end) => statSync(`${file}${end}`).mode & 0o777);
  const first = openDatabase(file, migrations);
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
  for (const end of ['', '-wal', '-shm']) chmodSync(`${file}${end}`, 0o644);
  const second = openDatabase(file, migrations);
  expect(modes()).toEqual([0o600, 0o600, 0o600]);
  second.close();
  first.close();
});

/** Whether this process holds a lock of the file; null on a system that does not tell. */
function hasLocks(file: string): boolean | null {
  if (process.platform !== 'linux') return null;
  const { ino } = statSync(file);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.some((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `));
}

it('a second opening of a database keeps the locks of the first connection', () => {
  const file = join(root, 'locked.db');
  const first = openDatabase(file, migrations);
  first.exec("INSERT INTO one (text) VALUES ('kept')");
  expect(hasLocks(file)).not.toBe(false);
  openDatabase(file, migrations);
  expect(hasLocks(file)).not.toBe(false);
  // The locks of a connection are the process's: SQLite keeps them as long as one of its connections needs them.
  openOwnDatabase(file, migrations).close();
  expect(hasLocks(file)).not.toBe(false);
  first.close();
});

describe('a page that a disk has lost', () => {
  /** As a process that was cut off leaves it, with a page of zeros. */
  function damaged(name: string, withLog: boolean): string {
    const [file, copy] = [join(root, `${name}.db`), join(root, `${name}-copy.db`)];
    const database = openDatabase(file, migrations);
    const insert = database.prepare('INSERT INTO one (text) VALUES (?)');
    for (let n = 0; n < 500; n++) insert.run('x'.repeat(400));
    database.pragma('wal_checkpoint(TRUNCATE)');
    insert.run('later');
    const bytes = readFileSync(file);
    const size = Number(database.pragma('page_size', { simple: true }));
    bytes.fill(0, 10 * size, 11 * size);
    writeFileSync(copy, bytes);
    if (withLog) copyFileSync(`${file}-wal`, `${copy}-wal`);
    database.close();
    return copy;
  }

  it('is found at the start after an unclean end', () => {
    const file = damaged('cut-off', true);
    expect(() => openOwnDatabase(file, migrations)).toThrow(
      expect.objectContaining({ code: 'damaged-database' }),
    );
  });

  it('is found by a check of pages', () => {
    const file = damaged('asked', false);
    const database = openOwnDatabase(file, migrations);
    expect(() => checkPages(database, file)).toThrow(
      expect.objectContaining({ code: 'damaged-database' }),
    );
    database.close();
  });

  it('is not reported in a sound database', () => {
    const database = openOwnDatabase(join(root, 'well.db'), migrations);
    database.exec("INSERT INTO one (text) VALUES ('x')");
    const again = openOwnDatabase(join(root, 'well.db'), migrations);
    expect(again.prepare('SELECT text FROM one').pluck().get()).toBe('x');
    again.close();
    database.close();
  });
});

describe('a header that is damaged', () => {
  const HEADER_BYTES = 100;

  it.each([0, 1, 5, 0x7f, 0xff])(
    'lets the database open, or be refused as damaged, with any byte of it %i',
    (value) => {
      const [file, copy] = [join(root, `header-${value}.db`), join(root, 'header-copy.db')];
      openDatabase(file, migrations).close();
      const sound = readFileSync(file);
      const codes = new Set<unknown>();
      for (let at = 0; at < HEADER_BYTES; at++) {
        const bytes = Buffer.from(sound);
        bytes[at] = value;
        for (const end of ['-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
        writeFileSync(copy, bytes);
        try {
          openDatabase(copy, migrations).close();
          codes.add('opens');
        } catch (error) {
          codes.add(error instanceof GodwitError ? error.code : error);
        }
      }
      for (const known of ['opens', 'damaged-database', 'newer-database', 'folder-unusable'])
        codes.delete(known);
      expect([...codes]).toEqual([]);
    },
  );
});

it.each([
  ['SQLITE_NOTADB', 'damaged-database'],
  ['SQLITE_CORRUPT_VTAB', 'damaged-database'],
  ['SQLITE_CONSTRAINT_DATATYPE', 'damaged-database'],
  ['SQLITE_FULL', 'disk-full'],
  ['SQLITE_IOERR_SHMSIZE', 'disk-full'],
  ['SQLITE_IOERR_READ', 'disk-failing'],
  ['SQLITE_IOERR', 'disk-failing'],
  ['SQLITE_CANTOPEN', 'folder-unusable'],
  ['SQLITE_READONLY', 'folder-unusable'],
  ['SQLITE_READONLY_DBMOVED', 'folder-unusable'],
])('the SQLite error %s is reported as %s', (sqlite, code) => {
  const error = Object.assign(new Error('what SQLite says'), { code: sqlite });
  expect(databaseError(error, 'rows.db')).toMatchObject({ code });
});

it('a bug, or an error with a code, is passed on unchanged', () => {
  const bug = Object.assign(new Error('no such table'), { code: 'SQLITE_ERROR' });
  const coded = new GodwitError('newer-database');
  expect([databaseError(bug, 'rows.db'), databaseError(coded, 'rows.db')]).toEqual([bug, coded]);
});
