import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { openServerDatabase } from '../meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../meta-sqlite/sqlite-meta-store.ts';
import { checkRows } from './check-rows.ts';

const root = mkdtempSync(join(tmpdir(), 'godwit-rows-'));
const file = join(root, 'server.db');

beforeAll(async () => {
  const store = new SqliteMetaStore(file);
  await store.open(FIRST);
  const script = await MetaScript.on(store);
  await script.mkdir(fidOf(2), ROOT, 'a').create(fidOf(3), fidOf(2), 'b').flush();
  await script.create(fidOf(4), ROOT, 'c').store(fidOf(4), 5).flush();
  await script.remove(ROOT, 'c').flush();
  await store.close();
});
afterAll(() => rmSync(root, { recursive: true }));

it('finds nothing where nobody has altered anything', () => {
  const database = openServerDatabase(file);
  expect(() => checkRows(database, file)).not.toThrow();
  database.close();
});

it.each([
  ['a name that is gone', 'DELETE FROM entry WHERE vnode = 3'],
  [
    'a file in another folder',
    'UPDATE entry SET dir_vnode = 1, dir_uniquifier = 1 WHERE vnode = 3',
  ],
  ['another file by a name', 'UPDATE entry SET vnode = 99 WHERE vnode = 3'],
  ['a vnode that is gone', 'DELETE FROM vnode WHERE vnode = 3'],
  [
    'a vnode that has come back',
    'UPDATE vnode SET links = 1 WHERE vnode = 4 AND to_commit IS NULL',
  ],
  ['a commit that is gone', 'DELETE FROM commit_log WHERE number = 3'],
  ['an older head', 'UPDATE volume SET head = head - 1'],
])('finds %s', (_what, change) => {
  const database = openServerDatabase(file);
  database.exec('BEGIN');
  expect(database.prepare(change).run().changes).toBeGreaterThan(0);
  expect(() => checkRows(database, file)).toThrow(
    expect.objectContaining({ code: 'damaged-database' }),
  );
  database.exec('ROLLBACK');
  database.close();
});
