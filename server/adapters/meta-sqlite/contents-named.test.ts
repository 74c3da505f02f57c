import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { DEFAULT_RETENTION } from '../../../shared/model/retention.ts';
import { wallTime } from '../../../shared/model/time.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import { present } from '../../../shared/util/assert.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { contentsNamed, retentionOf, setRetention } from './contents-named.ts';
import { openServerDatabase } from './server-database.ts';
import { SqliteMetaStore } from './sqlite-meta-store.ts';

const DAY = 86_400_000;

let folder: string;
let store: SqliteMetaStore;
let script: MetaScript;
let database: Sqlite;
let lastDigest = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-named-'));
  const file = join(folder, 'meta.db');
  store = new SqliteMetaStore(file);
  await store.open(FIRST);
  script = await MetaScript.on(store);
  database = openServerDatabase(file);
});
afterEach(async () => {
  await store.close();
  database.close();
  rmSync(folder, { recursive: true });
});

const digestOf = (number: number): Digest => number.toString(16).padStart(64, '0') as Digest;

/** A store at the beginning of a day, with a digest of its own. */
async function storeAt(vnode: number, day: number): Promise<Digest> {
  const fid = fidOf(vnode);
  script.store(fid, day);
  const digest = digestOf(++lastDigest);
  const { status, entries } = present(script.vnodes.get(fid), 'it is there');
  const row = { status: { ...status, digest }, entries };
  script.vnodes.set(fid, row);
  const writes = script.pending.splice(0).map((write) => {
    if (write.kind === 'log') return { ...write, when: wallTime(day * DAY) };
    return write.kind === 'vnode' && write.row.status.fid === fid ? { ...write, row } : write;
  });
  await store.commit(writes);
  return digest;
}

const named = (day: number): string[] => [...contentsNamed(database, wallTime(day * DAY))].sort();

it('the named contents are the present ones and those that the retention keeps', async () => {
  await script.create(fidOf(2), ROOT, 'a').create(fidOf(3), ROOT, 'b').flush();
  const first = await storeAt(2, 100);
  const other = await storeAt(3, 100);
  const second = await storeAt(2, 101);
  expect(named(102)).toEqual([first, other, second].sort());
  // One of each day, for thirty days after it was replaced.
  expect(named(130)).toEqual([first, other, second].sort());
  expect(named(132)).toEqual([other, second].sort());
});

it('the named contents include removed files for the retention time after their removal', async () => {
  await script.create(fidOf(2), ROOT, 'a').flush();
  const digest = await storeAt(2, 100);
  script.remove(ROOT, 'a');
  const writes = script.pending
    .splice(0)
    .map((write) => (write.kind === 'log' ? { ...write, when: wallTime(150 * DAY) } : write));
  await store.commit(writes);
  expect(named(179)).toContain(digest);
  expect(named(180)).not.toContain(digest);
});

it('a further link to a file counts as no new version', async () => {
  await script.create(fidOf(2), ROOT, 'a').flush();
  const digest = await storeAt(2, 100);
  await script.link(fidOf(2), ROOT, 'again').remove(ROOT, 'a').flush();
  expect(named(1000)).toEqual([digest]);
});

it('the retention has its default until another one is set', () => {
  expect(retentionOf(database)).toEqual(DEFAULT_RETENTION);
  setRetention(database, { allDays: 1, dailyDays: 2 });
  setRetention(database, { allDays: 3, dailyDays: 4 });
  expect(retentionOf(database)).toEqual({ allDays: 3, dailyDays: 4 });
});
