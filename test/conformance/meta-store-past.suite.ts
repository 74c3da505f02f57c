/** The history in a MetaStore: versions of files, names of directories, the commits of one device. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../shared/model/fid.ts';
import type { PastName, PastVersion } from '../../shared/model/history.ts';
import type { KeyOf } from '../../shared/model/stored.ts';
import { wallTime } from '../../shared/model/time.ts';
import {
  commitNumber,
  dataVersion,
  type CommitNumber,
  type Digest,
} from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { DEVICE, fidOf, FIRST, MetaScript, ROOT, VOLUME } from './meta-script.ts';
import { rowOf, type MetaHarness } from './meta-store-harness.ts';

const LAPTOP = {
  kind: 'device',
  id: DEVICE,
  fingerprint: 'f'.repeat(64),
  name: 'laptop',
  user: 1,
  incarnation: '1'.repeat(32),
  previousIncarnation: null,
  when: FIRST.when,
} as const;

export function metaPastSuite(name: string, make: () => MetaHarness): void {
  let harness: MetaHarness;
  let store: MetaStore;
  let script: MetaScript;

  beforeEach(async () => {
    harness = make();
    store = harness.store;
    await store.open(FIRST);
    await store.commit([LAPTOP]);
    script = await MetaScript.on(store);
  });
  afterEach(() => harness.end());

  const versions = (fid: Fid, before: number | null = null, limit = 100) =>
    rowOf(store, {
      kind: 'past-versions',
      fid,
      before: before === null ? null : dataVersion(before),
      limit,
    });
  const names = (about: Partial<KeyOf<'past-names'>> = {}) =>
    rowOf(store, {
      kind: 'past-names',
      ...{ dir: ROOT, name: null, after: null, limit: 100 },
      ...about,
    });
  const own = (before: number | null = null, limit = 100, device = DEVICE) =>
    rowOf(store, {
      kind: 'own-commits',
      volume: VOLUME,
      device,
      before: before === null ? null : commitNumber(before),
      limit,
    });

  describe(`the past versions in a MetaStore (${name})`, () => {
    const shown = ({ status, since, kept }: PastVersion) =>
      [status.version, status.size, since.commit, kept] as const;

    it('are listed newest first with their commits, also for a file that has ended', async () => {
      script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 5).store(fidOf(2), 7);
      await script.rename({ dir: ROOT, name: 'a' }, { dir: ROOT, name: 'b' }).flush();
      await script.link(fidOf(2), ROOT, 'c').remove(ROOT, 'b').remove(ROOT, 'c').flush();
      const page = await versions(fidOf(2));
      expect(page.versions.map(shown)).toEqual([
        [2, 7, 4, true],
        [1, 5, 3, true],
      ]);
      expect(page.versions[0]?.since).toEqual({
        commit: 4,
        when: wallTime(4),
        device: DEVICE,
        deviceName: 'laptop',
      });
      expect(page.more).toBe(false);
    });

    it('come in pages', async () => {
      script.create(fidOf(2), ROOT, 'a');
      for (let size = 1; size <= 3; size++) script.store(fidOf(2), size);
      await script.flush();
      const first = await versions(fidOf(2), null, 2);
      expect(first.versions.map(({ status }) => status.version)).toEqual([3, 2]);
      expect(first.more).toBe(true);
      const second = await versions(fidOf(2), 2, 2);
      expect(second.versions.map(({ status }) => status.version)).toEqual([1]);
      expect(second.more).toBe(false);
    });

    it('do not exist for a file without contents, a directory or an unknown fid', async () => {
      await script.create(fidOf(2), ROOT, 'a').mkdir(fidOf(3), ROOT, 'b').flush();
      for (const fid of [fidOf(2), fidOf(3), fidOf(4)]) {
        expect(await versions(fid)).toEqual({ versions: [], more: false });
      }
    });

    it('are marked as not kept when the store lacks their contents, and are not found by number', async () => {
      await script.create(fidOf(2), ROOT, 'a').flush();
      const { status } = await rowOf(store, { kind: 'vnode', fid: fidOf(2) }).then((row) => row!);
      const digest = 'ab'.repeat(32) as Digest;
      const row = {
        status: { ...status, digest, version: dataVersion(1), commit: commitNumber(3) },
        entries: 0,
      };
      const by = { volume: VOLUME, commit: commitNumber(3), device: DEVICE, seq: 3 as never };
      await store.commit([
        { kind: 'vnode', row, previous: commitNumber(2), ordinal: 0 },
        { kind: 'log', ...by, when: wallTime(3) },
      ]);
      const key = { kind: 'version', fid: fidOf(2), version: dataVersion(1) } as const;
      expect((await versions(fidOf(2))).versions.map(({ kept }) => kept)).toEqual([false]);
      expect(await rowOf(store, key)).toBeNull();
      await store.commit([{ kind: 'content', digest, size: 5 }]);
      expect((await versions(fidOf(2))).versions.map(({ kept }) => kept)).toEqual([true]);
      expect(await rowOf(store, key)).toEqual(row.status);
    });
  });

  describe(`the past names in a MetaStore (${name})`, () => {
    const shown = ({ name: of, fid, since, until, ended }: PastName) =>
      [of, fid, since.commit, until?.commit ?? null, ended] as const;

    it('list everything that the names of a directory stood for, in order', async () => {
      script.create(fidOf(2), ROOT, 'b').create(fidOf(3), ROOT, 'a').remove(ROOT, 'b');
      script.create(fidOf(4), ROOT, 'b').store(fidOf(4), 9);
      await script.rename({ dir: ROOT, name: 'a' }, { dir: ROOT, name: 'b' }).flush();
      const page = await names();
      expect(page.names.map(shown)).toEqual([
        ['a', fidOf(3), 3, 7, false],
        ['b', fidOf(2), 2, 4, true],
        ['b', fidOf(4), 5, 7, true],
        ['b', fidOf(3), 7, null, false],
      ]);
      expect(page.names.map(({ status }) => [status.size, status.links])).toEqual([
        [0, 1],
        [0, 1],
        [9, 1],
        [0, 1],
      ]);
      expect(page.names[2]?.until).toMatchObject({ when: wallTime(7), deviceName: 'laptop' });
    });

    it('can be listed for one name, and for a directory that has ended', async () => {
      script.mkdir(fidOf(2), ROOT, 'd').create(fidOf(3), fidOf(2), 'x');
      script.create(fidOf(4), fidOf(2), 'y').remove(fidOf(2), 'x').remove(fidOf(2), 'y');
      await script.remove(ROOT, 'd').flush();
      expect((await names({ dir: fidOf(2), name: 'y' })).names.map(shown)).toEqual([
        ['y', fidOf(4), 4, 6, true],
      ]);
      expect((await names({ name: 'd' })).names.map(shown)).toEqual([['d', fidOf(2), 2, 7, true]]);
      expect(await names({ name: 'nobody' })).toEqual({ names: [], more: false });
    });

    it('come in pages, whatever characters they contain', async () => {
      const odd = ['a', 'z', '￿', '\u{1F600}', '\u{1F600}b', 'é'];
      odd.forEach((each, index) => script.create(fidOf(index + 2), ROOT, each));
      await script.remove(ROOT, 'a').create(fidOf(20), ROOT, 'a').flush();
      const found: Array<readonly [string, CommitNumber]> = [];
      for (let more = true; more;) {
        const last = found.at(-1);
        const after = last === undefined ? null : { name: last[0], commit: last[1] };
        const page = await names({ after, limit: 2 });
        found.push(...page.names.map((each) => [each.name, each.since.commit] as const));
        more = page.more;
      }
      const expected = [...odd, 'a'].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
      expect(found.map(([each]) => each)).toEqual(expected);
      expect(found.slice(0, 2)).toEqual([
        ['a', 2],
        ['a', 9],
      ]);
    });
  });

  describe(`the own commits of a device in a MetaStore (${name})`, () => {
    it('are listed newest first with the state before them', async () => {
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 5).store(fidOf(2), 6).flush();
      await script.create(fidOf(3), ROOT, 'b').flush();
      await script.rename({ dir: ROOT, name: 'a' }, { dir: ROOT, name: 'b' }).flush();
      const page = await own();
      expect(page.commits.map(({ commit, when }) => [commit, when])).toEqual(
        [6, 5, 4, 3, 2].map((number) => [number, number]),
      );
      const [renamed, , stored, , made] = page.commits;
      expect(renamed?.names).toEqual([
        { dir: ROOT, name: 'a', was: fidOf(2), now: null },
        { dir: ROOT, name: 'b', was: fidOf(3), now: fidOf(2) },
      ]);
      const ofB = renamed?.vnodes.find(({ after }) => after.fid === fidOf(3));
      expect([ofB?.before?.links, ofB?.after.links]).toEqual([1, 0]);
      expect(stored?.names).toEqual([]);
      expect(stored?.vnodes.map(({ before, after }) => [before?.size, after.size])).toEqual([
        [5, 6],
      ]);
      expect(made?.names).toEqual([{ dir: ROOT, name: 'a', was: null, now: fidOf(2) }]);
      expect(made?.vnodes.find(({ after }) => after.fid === fidOf(2))?.before).toBeNull();
    });

    it('come in pages, without commits of others', async () => {
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 5).store(fidOf(2), 6).flush();
      const first = await own(null, 2);
      expect([first.commits.map(({ commit }) => commit), first.more]).toEqual([[4, 3], true]);
      const second = await own(3, 2);
      expect([second.commits.map(({ commit }) => commit), second.more]).toEqual([[2], false]);
      expect(await own(null, 100, DEVICE + 1)).toEqual({ commits: [], more: false });
    });
  });
}
