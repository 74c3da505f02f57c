import { fdatasync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openDatabase, type Sqlite } from './database.ts';
import { LogSync } from './log-sync.ts';

let folder: string;
let database: Sqlite;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-log-sync-'));
  mkdirSync(join(folder, 'migrations'));
  writeFileSync(join(folder, 'migrations', '0001-rows.sql'), 'CREATE TABLE t (n INTEGER) STRICT;');
  database = openDatabase(join(folder, 'rows.db'), join(folder, 'migrations'));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const write = (n: number): unknown => database.prepare('INSERT INTO t VALUES (?)').run(n);
const begun = (host: Parameters<typeof LogSync.of>[1]): LogSync => {
  const log = LogSync.of(database, host);
  if (log === null) throw new Error('there is room');
  return log;
};

it('the LogSync syncs the log as it is after the commit', async () => {
  const synced: number[] = [];
  const log = begun({
    syncData: (fd) => {
      synced.push(readFileSync(join(folder, 'rows.db-wal')).length);
      return promisify(fdatasync)(fd);
    },
  });
  const before = readFileSync(join(folder, 'rows.db-wal')).length;
  write(1);
  expect(synced).toEqual([]);
  await log.synced();
  expect(synced).toHaveLength(1);
  expect(synced[0]).toBeGreaterThan(before);
  database.close();
  await log.close();
});

it('the LogSync reports a commit only after its sync', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const log = begun({ syncData: () => promise });
  write(1);
  let told = false;
  const waiting = log.synced().then(() => (told = true));
  await new Promise((next) => setImmediate(next));
  expect(told).toBe(false);
  resolve();
  await waiting;
  expect(told).toBe(true);
});

it('the LogSync reports no commit as durable after a failed sync', async () => {
  let syncs = 0;
  const log = begun({
    syncData: () => ((syncs += 1) === 1 ? Promise.reject(new Error('EIO')) : Promise.resolve()),
  });
  write(1);
  await expect(log.synced()).rejects.toMatchObject({ code: 'disk-failing' });
  write(2);
  await expect(log.synced()).rejects.toMatchObject({ code: 'disk-failing' });
  database.close();
  await log.close();
});

it('the LogSync does not start on a full disk, where SQLite syncs by itself', () => {
  const pages = database.pragma('page_count', { simple: true }) as number;
  database.pragma(`max_page_count = ${pages}`);
  database.pragma('query_only = ON');
  expect(LogSync.of(database, { syncData: () => Promise.resolve() })).toBeNull();
  expect(database.pragma('synchronous', { simple: true })).toBe(2);
});
