import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Log } from '../../../shared/ports/log.ts';
import { openDatabase, type Sqlite } from '../../../shared/sqlite/database.ts';
import { SILENT } from '../../../test/support/silent-log.ts';
import { OVER, type PauseEnds } from '../pause/pause-ends.ts';
import { CLIENT_MIGRATIONS, SqliteClientStore } from './client-store-sqlite.ts';

const END = { until: 1_700_000_000_000.5, forMs: 60_000, boot: 'this boot', due: 5000.25 };
const LEAVES = { leaves: 'train' };

let folder: string;
let file: string;
let warned: string[];
let database: Sqlite;
let store: SqliteClientStore;
let ends: PauseEnds;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-pause-rows-'));
  file = join(folder, 'daemon.db');
  warned = [];
  await open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  const log: Log = { ...SILENT, warn: (message) => void warned.push(message) };
  database = openDatabase(file, CLIENT_MIGRATIONS);
  store = new SqliteClientStore(database, { syncData: () => Promise.resolve() }, null);
  await store.load();
  ends = store.pauseEnds(log);
}

async function again(): Promise<void> {
  await store.close();
  await open();
}

it('an end is there after the next start, each kind by itself, until it is removed', async () => {
  expect([ends.byTime.load(), ends.byNetwork.load()]).toEqual([null, null]);
  ends.byTime.save(END);
  ends.byNetwork.save(LEAVES);
  await again();
  expect([ends.byTime.load(), ends.byNetwork.load()]).toEqual([END, LEAVES]);
  ends.byTime.save(OVER);
  ends.byNetwork.remove();
  await again();
  expect([ends.byTime.load(), ends.byNetwork.load()]).toEqual([OVER, null]);
  expect(warned).toEqual([]);
});

it('a change is synced before the call returns, and other commits are as before', () => {
  const usual = database.pragma('synchronous', { simple: true });
  ends.byTime.save(END);
  expect(database.pragma('synchronous', { simple: true })).toBe(usual);
});

it('an altered row counts as a pause that is over and is reported once', async () => {
  ends.byTime.save(END);
  ends.byNetwork.save(LEAVES);
  database.exec(`UPDATE pause_end SET body = replace(body, '60000', '90000')`);
  await again();
  expect([ends.byTime.load(), ends.byNetwork.load()]).toEqual([OVER, LEAVES]);
  expect(warned).toEqual(['until when syncing was paused can not be read: it goes on']);
  await again();
  expect(ends.byTime.load()).toEqual(OVER);
  expect(warned).toHaveLength(1);
  database.exec(`UPDATE pause_end SET body = '{"leaves":"home"}' WHERE by = 'network'`);
  expect(ends.byNetwork.load()).toBeNull();
  ends.byTime.save(END);
  await again();
  expect([ends.byTime.load(), ends.byNetwork.load()]).toEqual([END, null]);
  expect(store.damage()).toEqual([]);
  expect(warned).toHaveLength(2);
});

it('a full disk refuses the call and changes nothing', () => {
  ends.byTime.save(END);
  database.pragma('max_page_count = 1');
  const large = { leaves: 'n'.repeat(100_000) };
  expect(() => ends.byNetwork.save(large)).toThrow(expect.objectContaining({ code: 'disk-full' }));
  expect([ends.byTime.load(), ends.byNetwork.load()]).toEqual([END, null]);
});
