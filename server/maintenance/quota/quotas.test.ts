/** What volumes use, in databases of before and in one that is wrong. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { countAgain, listQuotas, miscounted, setQuota } from './quotas.ts';
import { withoutPeople } from '../../../test/support/older-databases.ts';

let folder: string;
let database: Sqlite;

/** A file of two names and 20 bytes, one that is gone, and a symbolic link. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-quotas-'));
  const meta = new SqliteMetaStore(join(folder, 'server.db'));
  await meta.open(FIRST);
  const script = await MetaScript.on(meta);
  script
    .create(fidOf(2), ROOT, 'a')
    .store(fidOf(2), 30)
    .store(fidOf(2), 20)
    .link(fidOf(2), ROOT, 'b');
  script.create(fidOf(3), ROOT, 'c').store(fidOf(3), 5).remove(ROOT, 'c');
  await script.create(fidOf(4), ROOT, 'd', 'symlink').flush();
  await meta.close();
  database = openServerDatabase(join(folder, 'server.db'));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const home = { id: 1, name: 'home', limit: null, used: 20 };

it('a database older than quotas gets its used bytes counted', () => {
  database.close();
  const old = new Database(join(folder, 'server.db'));
  old.exec(withoutPeople);
  old.exec('ALTER TABLE volume DROP COLUMN quota; ALTER TABLE volume DROP COLUMN used');
  old.exec('DROP TABLE sharing; DROP TABLE row_seal; ALTER TABLE commit_log DROP COLUMN seal');
  old.pragma('user_version = 4');
  old.close();
  database = openServerDatabase(join(folder, 'server.db'));
  expect(listQuotas(database)).toEqual([home]);
});

it('a quota is set by the name of a volume', () => {
  expect(setQuota(database, 'elsewhere', 1)).toBe(false);
  expect(setQuota(database, 'home', 1_000)).toBe(true);
  expect(listQuotas(database)).toEqual([{ ...home, limit: 1_000 }]);
});

it('used bytes that differ from the files are found and counted again', () => {
  expect(miscounted(database)).toEqual([]);
  database.exec('UPDATE volume SET used = 21');
  expect(miscounted(database)).toEqual([{ volume: 'home', kept: 21, counted: 20 }]);
  countAgain(database);
  expect(miscounted(database)).toEqual([]);
});
