import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { makeFid, rootOf } from '../../../shared/model/fid.ts';
import type { FeedPage, VolumePage } from '../../../shared/model/stored.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { EMPTY_DIGEST } from '../../../shared/model/vnode.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../../test/conformance/meta-script.ts';
import { contentsNamed, setRetention } from '../../adapters/meta-sqlite/contents-named.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../adapters/meta-sqlite/sqlite-meta-store.ts';
import { checkRows } from '../check/check-rows.ts';
import { miscounted } from '../quota/quotas.ts';
import { cloneIn } from './clone-volume.ts';
import type { FilledVolume } from './fill-volume.ts';
import { endRemovedVolumes, numbersLeft } from './removed-volumes.ts';
import { createSnapshot, removeSnapshot } from './snapshots.ts';
import { createVolume, listVolumes, removeVolume } from './volumes.ts';

let folder: string;
let file: string;
let store: SqliteMetaStore;
let script: MetaScript;
let database: Sqlite;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-clones-'));
  file = join(folder, 'server.db');
  store = new SqliteMetaStore(file);
  await store.open(FIRST);
  script = await MetaScript.on(store);
  database = openServerDatabase(file);
});
afterEach(async () => {
  database.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const DAY = 86_400_000;
const at = (days: number) => wallTime(FIRST.when + days * DAY);
const coded = (code: string): unknown => expect.objectContaining({ code });
const random = new SeededRandom('clones');
const given = (breathe: () => Promise<void> = () => Promise.resolve()) => {
  return { database, now: at(1), random, breathe };
};
const clone = (name: string, from: string, more: Partial<FilledVolume> = {}) =>
  cloneIn({ name, owner: null, quota: null, ...more }, from, given());
const headOf = (volume: number): CommitNumber =>
  database.prepare('SELECT head FROM volume WHERE id = ?').pluck().get(volume) as CommitNumber;

/** All that a volume has, with fids as those of volume 1. */
async function shown(volume: VolumeId, commit = headOf(volume)): Promise<VolumePage['vnodes']> {
  const key = { kind: 'snapshot', volume, at: commit, after: null, limit: 10_000 } as const;
  const [page] = (await store.load([key])) as [VolumePage];
  const text = JSON.stringify(
    page.vnodes.map(({ status, names }) => ({ status: { ...status, commit: 0 }, names })),
  );
  return JSON.parse(text.replaceAll(`"${volume}.`, '"1.')) as VolumePage['vnodes'];
}

/** Two directories, files in both, one with three names, a symlink, and names that have gone. */
async function makeTree(): Promise<void> {
  script.mkdir(fidOf(2), ROOT, 'letters').mkdir(fidOf(3), fidOf(2), 'old');
  for (let n = 0; n < 40; n++) script.create(fidOf(10 + n), fidOf(3), `file ${n}`);
  script.create(fidOf(4), ROOT, 'a').store(fidOf(4), 100).link(fidOf(4), fidOf(3), 'also a');
  script.link(fidOf(4), fidOf(2), 'and here').create(fidOf(5), ROOT, 'to', 'symlink');
  script.create(fidOf(6), ROOT, 'gone').remove(ROOT, 'gone').store(fidOf(4), 77);
  await script.flush();
}

describe('a clone of a volume', () => {
  it('has all that the volume has, under the same numbers, and is whole', async () => {
    await makeTree();
    const made = await clone('copy', 'home', { owner: FIRST.userName, quota: 1000 });
    expect(await shown(made.number)).toEqual(await shown(1 as VolumeId));
    expect(made).toMatchObject({ files: 42, used: 77 });
    expect(listVolumes(database).find(({ name }) => name === 'copy')).toMatchObject({
      owner: FIRST.userName,
      quota: 1000,
      used: 77,
      people: [{ user: FIRST.userName, rights: 'write' }],
    });
    checkRows(database, file);
    expect(miscounted(database)).toEqual([]);
    expect(numbersLeft(database)).toEqual([]);
  });

  it('is of its snapshot, whatever the volume became since', async () => {
    await makeTree();
    const before = await shown(1 as VolumeId);
    createSnapshot(database, 'home', 'then', at(0));
    script.remove(fidOf(3), 'also a').store(fidOf(4), 5).create(fidOf(7), ROOT, 'new');
    await script.flush();
    const made = await clone('copy', 'home@then');
    expect(await shown(made.number)).toEqual(before);
    checkRows(database, file);
    expect(miscounted(database)).toEqual([]);
  });

  it('copies no contents, and keeps those that it shows when nothing else does', async () => {
    setRetention(database, { allDays: 0, dailyDays: 0 });
    await makeTree();
    createSnapshot(database, 'home', 'then', at(0));
    const contents = 'SELECT count(*) FROM content';
    const before = database.prepare(contents).pluck().get();
    await clone('copy', 'home@then');
    expect(database.prepare(contents).pluck().get()).toBe(before);
    script.remove(ROOT, 'a').remove(fidOf(3), 'also a').remove(fidOf(2), 'and here');
    await script.flush();
    removeSnapshot(database, 'home', 'then');
    expect([...contentsNamed(database, at(1000))]).toContain(EMPTY_DIGEST);
    removeVolume(database, 'copy', at(1));
    await endRemovedVolumes(database, at(1000), () => Promise.resolve());
    expect([...contentsNamed(database, at(1000))]).toEqual([]);
  });

  it('takes changes that the volume does not, and the other way round', async () => {
    await makeTree();
    const { number } = await clone('copy', 'home');
    const before = await shown(number);
    script.create(fidOf(8), ROOT, 'only here');
    await script.flush();
    expect(await shown(number)).toEqual(before);
    const home = await shown(1 as VolumeId);
    const root = rootOf(number);
    const rows = await store.load([{ kind: 'vnode', fid: root }]);
    const { status, entries } = rows[0] as { status: { commit: CommitNumber }; entries: number };
    const commit = (headOf(number) + 1) as CommitNumber;
    const row = { status: { ...status, commit }, entries } as never;
    const vnode = { kind: 'vnode', row, previous: status.commit, ordinal: 0 } as const;
    const log = { kind: 'log', volume: number, commit, device: 0, seq: 0 as never, when: at(2) };
    await store.commit([vnode, { ...log, kind: 'log' }]);
    expect(headOf(number)).toBe(commit);
    expect(await shown(1 as VolumeId)).toEqual(home);
    checkRows(database, file);
  });

  it('gives devices vnode numbers that nothing in it has', async () => {
    await makeTree();
    script.create(makeFid(1, 70_000, 9), ROOT, 'late');
    await script.flush();
    const { number } = await clone('copy', 'home');
    const stored = (await store.volumes()).volumes.find(({ id }) => id === number);
    expect(stored?.lastUniquifier).toBe(9);
  });

  it('may be of a clone, and of an empty volume', async () => {
    await makeTree();
    await clone('copy', 'home');
    const again = await clone('again', 'copy');
    expect(await shown(again.number)).toEqual(await shown(1 as VolumeId));
    createVolume(database, { name: 'empty', owner: null, quota: null, lost: null }, at(0), random);
    expect(await clone('none', 'empty')).toMatchObject({ files: 0, used: 0 });
    checkRows(database, file);
  });

  it('shows in the feed as commits of a few names', async () => {
    await makeTree();
    const { number } = await clone('copy', 'home');
    const key = { kind: 'changes', volume: number, since: 0 as CommitNumber, limit: 1000 } as const;
    const page = (await store.load([key]))[0] as FeedPage;
    expect(Math.max(...page.commits.map(({ entries }) => entries.length))).toBeLessThanOrEqual(8);
    expect(page.commits.flatMap(({ entries }) => entries)).toHaveLength(46);
  });
});

describe('a clone that is not made', () => {
  it('has a reason with a code', async () => {
    await makeTree();
    await expect(clone('home', 'home')).rejects.toEqual(coded('exists'));
    await expect(clone('copy', 'away')).rejects.toEqual(coded('no-such-volume'));
    await expect(clone('copy', 'home@then')).rejects.toEqual(coded('not-found'));
    await expect(clone('copy', 'home', { owner: 'ann' })).rejects.toEqual(coded('not-found'));
    expect(listVolumes(database).map(({ name }) => name)).toEqual(['home']);
  });

  it('leaves nothing where it fails in the middle', async () => {
    await makeTree();
    for (let n = 0; n < 200; n++) script.create(fidOf(100 + n), ROOT, `more ${n}`);
    await script.flush();
    const failing = given(() => Promise.reject(new Error('the disk is gone')));
    const asked = { name: 'copy', owner: null, quota: null };
    await expect(cloneIn(asked, 'home', failing)).rejects.toThrow('the disk is gone');
    const [left] = numbersLeft(database);
    expect(left).toBeDefined();
    await endRemovedVolumes(database, at(1), () => Promise.resolve());
    const rows = database.prepare('SELECT count(*) FROM vnode WHERE volume <> 1').pluck().get();
    expect([numbersLeft(database), rows]).toEqual([[], 0]);
    checkRows(database, file);
  });

  it('leaves nothing where somebody else takes its name meanwhile', async () => {
    await makeTree();
    for (let n = 0; n < 200; n++) script.create(fidOf(100 + n), ROOT, `more ${n}`);
    await script.flush();
    let isTaken = false;
    const taking = given(() => {
      if (isTaken) return Promise.resolve();
      isTaken = true;
      createVolume(database, { name: 'copy', owner: null, quota: null, lost: null }, at(0), random);
      return Promise.resolve();
    });
    const asked = { name: 'copy', owner: null, quota: null };
    await expect(cloneIn(asked, 'home', taking)).rejects.toEqual(coded('exists'));
    const rows = database.prepare('SELECT count(*) FROM entry WHERE volume <> 1').pluck().get();
    expect([numbersLeft(database), rows]).toEqual([[], 0]);
  });
});
