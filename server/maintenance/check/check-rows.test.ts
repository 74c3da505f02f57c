import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { checkRows } from './check-rows.ts';

let database: Sqlite;
const root = mkdtempSync(join(tmpdir(), 'godwit-rows-'));
const file = join(root, 'server.db');

beforeAll(async () => {
  const store = new SqliteMetaStore(file);
  await store.open(FIRST);
  const script = await MetaScript.on(store);
  await script.mkdir(fidOf(2), ROOT, 'a').create(fidOf(3), fidOf(2), 'b').flush();
  await script.create(fidOf(4), ROOT, 'c').store(fidOf(4), 5).flush();
  await script.remove(ROOT, 'c').flush();
  await script.create(fidOf(5), fidOf(2), 'to', 'symlink').flush();
  await script.rename({ dir: fidOf(2), name: 'b' }, { dir: fidOf(2), name: 'd' }).flush();
  // Whatever characters the texts have.
  script.create(fidOf(6), ROOT, 'ä\u{1f600}\ue000\uffff', 'symlink');
  const writes = script.pending.splice(0).map((write) => {
    if (write.kind !== 'vnode' || write.row.status.target === null) return write;
    const status = { ...write.row.status, target: 'b\ud800 "\n' };
    return { ...write, row: { status, entries: 0 } };
  });
  await store.commit(writes);
  await store.close();
});
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => {
  database = openServerDatabase(file);
  database.exec('BEGIN');
});
afterEach(() => {
  database.exec('ROLLBACK');
  database.close();
});

it('the check of rows finds nothing in an unaltered database', () => {
  expect(checkRows(database, file)).toBe(0);
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
])('the check of rows finds %s', (_what, change) => {
  expect(database.prepare(change).run().changes).toBeGreaterThan(0);
  expect(() => checkRows(database, file)).toThrow(
    expect.objectContaining({ code: 'damaged-database' }),
  );
});

type Value = string | number | null;
const MAY_BE_NULL = ['to_commit', 'digest', 'target', 'xattrs', 'seal'];
const TEXTS = ['digest', 'target', 'xattrs'];

/** Each value of each row of a table altered, and each row removed. */
function alterations(table: string): string[] {
  const columns = database.pragma(`table_info(${table})`) as Array<{ name: string; pk: number }>;
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const literal = (value: Value): string => (value === null ? 'NULL' : `'${value}'`);
  const rows = database.prepare<[], Record<string, Value>>(`SELECT * FROM ${table}`).all();
  return rows.flatMap((row) => {
    const where = `WHERE ${keys.map((key) => `${key} = ${literal(row[key] ?? null)}`).join(' AND ')}`;
    const set = (name: string, value: Value): string =>
      `UPDATE ${table} SET ${name} = ${literal(value)} ${where}`;
    const changes = [`DELETE FROM ${table} ${where}`];
    for (const { name } of columns) {
      const value = row[name] ?? null;
      const isText = typeof value === 'string' || TEXTS.includes(name);
      changes.push(set(name, isText ? `${String(value)}x` : Number(value) + 1000));
      if (value !== null && MAY_BE_NULL.includes(name)) changes.push(set(name, null));
    }
    return changes;
  });
}

it.each(['vnode', 'entry', 'commit_log'])(
  'the check of rows finds each altered value of the table %s',
  (table) => {
    // SQLite would refuse two present rows of a vnode; a bit that flips asks nobody.
    database.exec('DROP INDEX vnode_present; DROP INDEX entry_present');
    const changes = alterations(table);
    expect(changes.length).toBeGreaterThan(40);
    const whole = changes.filter((change) => {
      database.exec('SAVEPOINT one');
      expect(database.prepare(change).run().changes).toBe(1);
      const found = codeOf(() => checkRows(database, file));
      database.exec('ROLLBACK TO one; RELEASE one');
      return found !== 'damaged-database';
    });
    // Without its seal, the first commit is one of before there were seals: it is counted.
    const first = "UPDATE commit_log SET seal = NULL WHERE volume = '1' AND number = '1'";
    expect(whole).toEqual(table === 'commit_log' ? [first] : []);
  },
);

it.each([
  ['UPDATE vnode SET mode = 511 WHERE vnode = 3', '1.3.2 (/a/d), 1.2.2 (/a)', 3],
  ["UPDATE entry SET name = 'x' WHERE vnode = 5", '1.5.2 (/a/x), 1.2.2 (/a)', 7],
  ['UPDATE vnode SET xattrs = NULL WHERE vnode = 4 AND size = 5', '1.4.2 (/c)', 5],
  ['UPDATE commit_log SET device = 9 WHERE number = 5', '1.4.2 (/c)', 5],
  ["UPDATE commit_log SET copy_of = 'b' WHERE number = 5", '1.4.2 (/c)', 5],
])('the check after "%s" names the vnode %s and the commit %s', (change, who, commit) => {
  database.exec(change);
  expect(() => checkRows(database, file)).toThrow(
    `${file} is damaged: rows of ${who} are not as commit ${commit} of home wrote them`,
  );
});

it('the check of rows counts commits older than seals and finds a removed seal', () => {
  database.exec('UPDATE commit_log SET seal = NULL WHERE number <= 3');
  expect(checkRows(database, file)).toBe(3);
  database.exec("UPDATE vnode SET mtime = '5' WHERE vnode = 2 AND from_commit = 2");
  expect(checkRows(database, file)).toBe(3);
  database.exec('UPDATE commit_log SET seal = NULL WHERE number = 6');
  expect(codeOf(() => checkRows(database, file))).toBe('damaged-database');
});

function codeOf(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}
