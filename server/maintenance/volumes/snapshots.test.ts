import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_SNAPSHOT_NAME, MAX_SNAPSHOTS } from '../../../shared/model/snapshots.ts';
import { wallTime, type WallTime } from '../../../shared/model/time.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { present } from '../../../shared/util/assert.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import {
  contentsNamed,
  pagesOfNamed,
  setRetention,
} from '../../adapters/meta-sqlite/contents-named.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { checkRows } from '../check/check-rows.ts';
import { endRemovedVolumes } from './removed-volumes.ts';
import { snapshotUse } from './snapshot-use.ts';
import { createSnapshot, listSnapshots, removeSnapshot } from './snapshots.ts';
import { removeVolume } from './volumes.ts';

const DAY = 86_400_000;
let folder: string;
let store: SqliteMetaStore;
let script: MetaScript;
let database: Sqlite;
let lastDigest = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-snapshots-'));
  const file = join(folder, 'server.db');
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

const at = (days: number): WallTime => wallTime(FIRST.when + days * DAY);
const make = (name: string, days = 0) => createSnapshot(database, 'home', name, at(days));
const named = (days = 1000): Digest[] => [...contentsNamed(database, at(days))].sort();
const coded = (code: string): unknown => expect.objectContaining({ code });

/** One more version, with contents of its own where none are named. */
async function save(vnode: number, contents?: Digest): Promise<Digest> {
  const fid = fidOf(vnode);
  script.store(fid, vnode);
  const digest = contents ?? ((++lastDigest).toString(16).padStart(64, '0') as Digest);
  const { status, entries } = present(script.vnodes.get(fid), 'it is there');
  const row = { status: { ...status, digest }, entries };
  script.vnodes.set(fid, row);
  const writes = script.pending.splice(0).map((write) => {
    if (write.kind === 'log') return { ...write, when: at(0) };
    return write.kind === 'vnode' && write.row.status.fid === fid ? { ...write, row } : write;
  });
  await store.commit(writes);
  return digest;
}

describe('a snapshot of a volume', () => {
  it('is the number of the newest commit, and is listed until it is removed', async () => {
    await script.create(fidOf(2), ROOT, 'a').flush();
    const made = make('yesterday', 1);
    expect(made).toEqual({ name: 'yesterday', at: script.head, epoch: FIRST.epoch, made: at(1) });
    await save(2);
    expect(make('later', 2).at).toBe(script.head);
    expect(listSnapshots(database, 'home').map(({ name }) => name)).toEqual(['yesterday', 'later']);
    removeSnapshot(database, 'home', 'yesterday');
    expect(listSnapshots(database, 'home').map(({ name }) => name)).toEqual(['later']);
  });

  it('keeps the contents that it shows, and no others, until it is removed', async () => {
    await script.create(fidOf(2), ROOT, 'a').create(fidOf(3), ROOT, 'b').flush();
    await save(2);
    const shown = [await save(2), await save(3)].sort();
    make('yesterday');
    await save(2);
    const last = await save(2);
    await script.remove(ROOT, 'b').flush();
    expect(named()).toEqual([...shown, last].sort());
    removeSnapshot(database, 'home', 'yesterday');
    expect(named()).toEqual([last]);
  });

  it('keeps what it shows when it is made while collection looks', async () => {
    setRetention(database, { allDays: 0, dailyDays: 0 });
    await script.create(fidOf(2), ROOT, 'a').flush();
    const shown = await save(2);
    const pages = pagesOfNamed(database, at(1000));
    make('yesterday');
    await save(2);
    expect([...pages].flat()).toContain(shown);
  });

  it('is counted with the bytes that nothing else keeps', async () => {
    await script.create(fidOf(2), ROOT, 'a').flush();
    await save(2);
    expect(snapshotUse(database, at(1000)).size).toBe(0);
    make('yesterday');
    expect(snapshotUse(database, at(1000)).get(1)).toEqual({ snapshots: 1, bytes: 0 });
    await save(2);
    const size = script.status(fidOf(2)).size;
    expect(snapshotUse(database, at(1000)).get(1)).toEqual({ snapshots: 1, bytes: size });
    expect(snapshotUse(database, at(1)).get(1)).toEqual({ snapshots: 1, bytes: 0 });
  });

  it('is counted without what another file has, by any version that retention keeps', async () => {
    setRetention(database, { allDays: 5, dailyDays: 5 });
    await script.create(fidOf(2), ROOT, 'a').create(fidOf(3), ROOT, 'b').flush();
    const shown = await save(2);
    make('yesterday');
    await save(2);
    await script.remove(ROOT, 'a').flush();
    const size = 2;
    expect(snapshotUse(database, at(1000)).get(1)).toEqual({ snapshots: 1, bytes: size });
    await save(3, shown);
    expect(snapshotUse(database, at(1000)).get(1)).toEqual({ snapshots: 1, bytes: 0 });
    await save(3);
    expect(snapshotUse(database, at(1)).get(1)).toEqual({ snapshots: 1, bytes: 0 });
    expect(snapshotUse(database, at(1000)).get(1)).toEqual({ snapshots: 1, bytes: size });
  });

  it.each(['', '2h', '2026-01-01', '-x', 'a/b', 'a b', 'ä', 'x'.repeat(MAX_SNAPSHOT_NAME + 1)])(
    'is not called %j',
    (name) => expect(() => make(name)).toThrow(coded('usage')),
  );

  it('is refused with a reason when it can not be made or removed', () => {
    make('yesterday');
    expect(() => make('yesterday')).toThrow(coded('exists'));
    expect(() => createSnapshot(database, 'other', 'x', at(0))).toThrow(coded('no-such-volume'));
    expect(() => removeSnapshot(database, 'home', 'other')).toThrow(coded('not-found'));
    for (let n = 1; n < MAX_SNAPSHOTS; n++) make(`s${n}`);
    expect(() => make('more')).toThrow(coded('usage'));
    removeVolume(database, 'home', at(0));
    expect(() => listSnapshots(database, 'home')).toThrow(coded('volume-removed'));
  });

  it('ends with its volume', async () => {
    make('yesterday');
    removeVolume(database, 'home', at(1));
    await endRemovedVolumes(database, at(1000), () => Promise.resolve());
    expect(database.prepare('SELECT count(*) FROM snapshot').pluck().get()).toBe(0);
    expect(checkRows(database, join(folder, 'server.db'))).toBeGreaterThanOrEqual(0);
  });
});
