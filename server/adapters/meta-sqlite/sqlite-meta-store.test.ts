/** What the suite of the port does not ask of a store in memory: files that are damaged, full, newer, or shared. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { checkSeals } from './check-seals.ts';
import { openServerDatabase } from './server-database.ts';
import { SqliteMetaStore } from './sqlite-meta-store.ts';
import { storeError } from './store-error.ts';
import { withoutPeople } from '../../../test/support/older-databases.ts';

let folder: string;
let file: string;
const open: SqliteMetaStore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-sqlite-'));
  file = join(folder, 'meta.db');
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

function storeAt(...options: ConstructorParameters<typeof SqliteMetaStore>): SqliteMetaStore {
  const store = new SqliteMetaStore(...options);
  open.push(store);
  return store;
}

/** A closed database with a few thousand rows. */
async function filled(): Promise<void> {
  const store = storeAt(file);
  await store.open(FIRST);
  const script = await MetaScript.on(store);
  for (let number = 2; number < 500; number++) script.create(fidOf(number), ROOT, `name ${number}`);
  await script.flush();
  await store.close();
}

describe('a database file that cannot be used', () => {
  it('is refused as damaged and left unchanged when it is no database', async () => {
    writeFileSync(file, 'not a database at all, but long enough to be looked at'.repeat(100));
    const before = readFileSync(file);
    await expect(storeAt(file).open(FIRST)).rejects.toMatchObject({ code: 'damaged-database' });
    expect(readFileSync(file)).toEqual(before);
  });

  it('is refused as damaged when a read meets invalid pages', async () => {
    await filled();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096 * 2);
    writeFileSync(file, bytes);
    const work = async (): Promise<unknown> => {
      const store = storeAt(file);
      await store.open(FIRST);
      const key = { kind: 'directory', fid: ROOT, after: null, limit: 1000 } as const;
      return store.load([{ ...key, at: 499 as never }]);
    };
    await expect(work()).rejects.toMatchObject({ code: 'damaged-database' });
  });

  it('is refused as damaged when a column has an impossible value', async () => {
    await filled();
    const database = openServerDatabase(file);
    database.prepare("UPDATE vnode SET xattrs = '[[' WHERE vnode = 2").run();
    database.close();
    const store = storeAt(file);
    await store.open(FIRST);
    await expect(store.load([{ kind: 'vnode', fid: fidOf(2) }])).rejects.toMatchObject({
      code: 'damaged-database',
    });
  });

  it('fails only the caller who asks for the damaged row, not concurrent ones', async () => {
    await filled();
    const database = openServerDatabase(file);
    database.prepare("UPDATE vnode SET xattrs = '[[' WHERE vnode = 2").run();
    database.close();
    const store = storeAt(file);
    await store.open(FIRST);
    const asked = [3, 2, 4].map((number) => store.load([{ kind: 'vnode', fid: fidOf(number) }]));
    // What was asked for before the end has its answer.
    const closed = store.close();
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: [{ status: { fid: fidOf(3) } }] },
      { reason: { code: 'damaged-database' } },
      { value: [{ status: { fid: fidOf(4) } }] },
    ]);
    await closed;
  });

  it('is left unchanged when a newer program has written it', async () => {
    await filled();
    const database = openServerDatabase(file);
    database.pragma('user_version = 999');
    database.close();
    await expect(storeAt(file).open(FIRST)).rejects.toMatchObject({ code: 'newer-database' });
  });
});

describe('an altered row', () => {
  /** As a machine that lost its power leaves the files, and then something else did. */
  async function altered(change: string): Promise<string> {
    const store = storeAt(file);
    await store.open(FIRST);
    await (await MetaScript.on(store)).create(fidOf(2), ROOT, 'a').store(fidOf(2), 5).flush();
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    const other = new Database(copy);
    // What closes last would empty the log: it is kept, as nobody closed anything.
    other.exec(change);
    copyFileSync(copy, `${copy}.kept`);
    copyFileSync(`${copy}-wal`, `${copy}.kept-wal`);
    other.close();
    return `${copy}.kept`;
  }

  it('is found at the start after an unclean end', async () => {
    const copy = await altered('UPDATE vnode SET mode = 511 WHERE vnode = 2 AND size = 5');
    await expect(storeAt(copy).open(FIRST)).rejects.toMatchObject({
      code: 'damaged-database',
      message: `${copy} is damaged: rows of 1.2.2 (/a) are not as commit 3 of home wrote them`,
    });
  });

  it('is not reported when a statement changed nothing', async () => {
    const copy = await altered('UPDATE vnode SET mode = mode');
    expect(await storeAt(copy).open(FIRST)).toMatchObject({ volumes: [{ head: 3 }] });
  });
});

it('new commits are sealed in a database from before there were seals', async () => {
  await filled();
  const old = new Database(file);
  old.exec(withoutPeople);
  old.exec('ALTER TABLE commit_log DROP COLUMN seal; DROP TABLE row_seal; PRAGMA user_version = 8');
  old.close();
  const store = storeAt(file);
  expect(await store.open(FIRST)).toMatchObject({ volumes: [{ head: 499 }] });
  const log = { volume: 1 as never, device: 1, seq: 1 as never, when: FIRST.when };
  await store.commit([{ kind: 'log', ...log, commit: 500 as never }]);
  await store.close();
  const database = openServerDatabase(file);
  expect(checkSeals(database, file)).toBe(499);
  expect(checkSeals(database, file, 1)).toBe(0);
  expect(checkSeals(database, file, 2)).toBe(1);
  database.close();
});

it('a commit on a full disk is refused, changes nothing, and succeeds when there is space', async () => {
  await filled();
  let more = (): void => undefined;
  const store = storeAt(file, null, (path) => {
    const database = openServerDatabase(path);
    const pages = database.pragma('page_count', { simple: true }) as number;
    database.pragma(`max_page_count = ${pages + 5}`);
    more = () => database.pragma('max_page_count = 100000');
    return database;
  });
  await store.open(FIRST);
  const group = Array.from({ length: 500 }, (_, number) => {
    const block = { first: 0, count: 1, uniquifier: number + 2, volume: 1 as never, device: 1 };
    return { kind: 'block', ...block } as const;
  });
  const contents = Array.from({ length: 500 }, (_, number) => {
    const digest = number.toString(16).padStart(64, '0') as never;
    return { kind: 'content', digest, size: 1 } as const;
  });
  await expect(store.commit([...group, ...contents])).rejects.toMatchObject({
    code: 'server-full',
  });
  const key = { kind: 'block', volume: 1 as never, uniquifier: 2 } as const;
  expect(await store.load([key])).toEqual([null]);
  more();
  await store.commit([...group, ...contents]);
  expect(await store.load([key])).toMatchObject([{ uniquifier: 2 }]);
});

it.each(['SQLITE_IOERR_FSYNC', 'SQLITE_READONLY', 'SQLITE_READONLY_DBMOVED', 'SQLITE_CANTOPEN'])(
  'the SQLite error %s is reported as a failing disk',
  (code) => {
    const error = Object.assign(new Error('what SQLite says'), { code });
    expect(storeError(error)).toMatchObject({ code: 'disk-failing' });
  },
);
