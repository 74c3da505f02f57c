/** Versioned reads of a MetaStore: as of any commit, whatever came later. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { compareNames } from '../../shared/model/names.ts';
import type { Fid } from '../../shared/model/fid.ts';
import type { DirectoryPage } from '../../shared/model/stored.ts';
import { wallTime } from '../../shared/model/time.ts';
import { updateSeq } from '../../shared/model/update.ts';
import { commitNumber, dataVersion, type Digest, type Mtime } from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { DEVICE, fidOf, FIRST, MetaScript, ROOT, VOLUME } from './meta-script.ts';
import { rowOf, type MetaHarness } from './meta-store-harness.ts';

const at = commitNumber;

export function metaHistorySuite(name: string, make: () => MetaHarness): void {
  let harness: MetaHarness;
  let store: MetaStore;
  let script: MetaScript;

  beforeEach(async () => {
    harness = make();
    store = harness.store;
    await store.open(FIRST);
    script = await MetaScript.on(store);
  });
  afterEach(() => harness.end());

  const page = (key: { at: number; after?: string | null; limit?: number; fid?: Fid }) =>
    rowOf(store, {
      kind: 'directory',
      fid: key.fid ?? ROOT,
      at: at(key.at),
      after: key.after ?? null,
      limit: key.limit ?? 100,
    });
  const names = ({ entries }: DirectoryPage): string[] => entries.map((entry) => entry.name);

  describe(`the present rows of a MetaStore (${name})`, () => {
    it('are the last written ones, for a vnode and its entry', async () => {
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 5).flush();
      expect(await rowOf(store, { kind: 'vnode', fid: fidOf(2) })).toEqual(
        script.vnodes.get(fidOf(2)),
      );
      expect(await rowOf(store, { kind: 'entry', dir: ROOT, name: 'a' })).toEqual({
        fid: fidOf(2),
        since: 2,
      });
    });

    it('keep every field of a status', async () => {
      await script.create(fidOf(2), ROOT, 'a').flush();
      const row = {
        status: {
          ...script.status(fidOf(2)),
          mode: 0o7777,
          mtime: '-1500000000000000001' as Mtime,
          size: 2 ** 48,
          version: dataVersion(2 ** 40),
          commit: at(3),
          digest: 'ab'.repeat(32) as Digest,
          links: 1000,
          xattrs: [
            { name: 'ä "quoted"', value: '' },
            { name: 'z', value: 'AA==' },
          ],
        },
        entries: 0,
      };
      const log = { volume: VOLUME, commit: at(3), device: DEVICE, seq: updateSeq(3) };
      await store.commit([
        { kind: 'vnode', row, previous: at(2), ordinal: 0 },
        { kind: 'log', ...log, when: wallTime(3) },
      ]);
      expect(await rowOf(store, { kind: 'vnode', fid: fidOf(2) })).toEqual(row);
    });

    it('are null for what never existed', async () => {
      expect(await rowOf(store, { kind: 'vnode', fid: fidOf(9) })).toBeNull();
      expect(await rowOf(store, { kind: 'entry', dir: ROOT, name: 'a' })).toBeNull();
    });

    it('distinguish uniquifiers of one vnode number', async () => {
      await script.create(fidOf(2, 2), ROOT, 'a').create(fidOf(2, 3), ROOT, 'b').flush();
      const row = await rowOf(store, { kind: 'vnode', fid: fidOf(2, 3) });
      expect(row?.status.fid).toBe(fidOf(2, 3));
    });

    it('remain for a vnode that has ended, but not for a free name', async () => {
      await script.create(fidOf(2), ROOT, 'a').remove(ROOT, 'a').flush();
      const row = await rowOf(store, { kind: 'vnode', fid: fidOf(2) });
      expect(row?.status.links).toBe(0);
      expect(await rowOf(store, { kind: 'entry', dir: ROOT, name: 'a' })).toBeNull();
    });

    it('name the new vnode when a name is used again', async () => {
      await script
        .create(fidOf(2), ROOT, 'a')
        .remove(ROOT, 'a')
        .create(fidOf(3), ROOT, 'a')
        .flush();
      const row = await rowOf(store, { kind: 'entry', dir: ROOT, name: 'a' });
      expect(row).toEqual({ fid: fidOf(3), since: 4 });
    });

    it('lead from a directory up to the root', async () => {
      await script.mkdir(fidOf(2), ROOT, 'a').mkdir(fidOf(3), fidOf(2), 'b').flush();
      await script.mkdir(fidOf(4), ROOT, 'c').flush();
      await script.rename({ dir: ROOT, name: 'a' }, { dir: fidOf(4), name: 'a' }).flush();
      expect(await rowOf(store, { kind: 'ancestors', fid: fidOf(3) })).toEqual([
        { fid: fidOf(3), dir: fidOf(2) },
        { fid: fidOf(2), dir: fidOf(4) },
        { fid: fidOf(4), dir: ROOT },
      ]);
      expect(await rowOf(store, { kind: 'ancestors', fid: ROOT })).toEqual([]);
    });

    it('count the levels of directories below a directory', async () => {
      const height = (fid: Fid) => rowOf(store, { kind: 'height', fid, most: null, asOf: 0 });
      expect(await height(ROOT)).toBe(0);
      await script.mkdir(fidOf(2), ROOT, 'a').mkdir(fidOf(3), fidOf(2), 'b').flush();
      await script.create(fidOf(5), fidOf(3), 'file').mkdir(fidOf(4), ROOT, 'c').flush();
      expect([await height(ROOT), await height(fidOf(2)), await height(fidOf(3))]).toEqual([
        2, 1, 0,
      ]);
      await script.rename({ dir: ROOT, name: 'a' }, { dir: fidOf(4), name: 'a' }).flush();
      expect([await height(ROOT), await height(fidOf(4))]).toEqual([3, 2]);
      expect(await height(fidOf(99))).toBe(0);
    });
  });

  describe(`the versions in a MetaStore (${name})`, () => {
    const version = (number: number) =>
      rowOf(store, { kind: 'version', fid: fidOf(2), version: dataVersion(number) });

    it('are found while newer ones exist', async () => {
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 5).store(fidOf(2), 6).flush();
      expect(await version(1)).toMatchObject({ size: 5, version: 1, commit: 3 });
      expect(await version(2)).toMatchObject({ size: 6, version: 2 });
      expect(await version(3)).toBeNull();
    });

    it('have the newest status that belonged to the version', async () => {
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 5).link(fidOf(2), ROOT, 'b').flush();
      await script.store(fidOf(2), 6).flush();
      expect(await version(1)).toMatchObject({ size: 5, links: 2, commit: 4 });
    });
  });

  describe(`the pages of a directory in a MetaStore (${name})`, () => {
    const ODD = [
      'Z',
      'a',
      'ä',
      '\ud7ff',
      '\u{10000}',
      '\u{1f600}',
      '\u{10ffff}',
      '\ue000',
      '\uffef',
    ];

    it('come in code-unit order, whole or in parts', async () => {
      for (const [index, each] of [...ODD].reverse().entries()) {
        script.create(fidOf(10 + index), ROOT, each);
      }
      await script.flush();
      expect([...ODD].sort(compareNames)).toEqual(ODD);
      expect(names(await page({ at: script.head }))).toEqual(ODD);
      for (const [index, each] of ODD.entries()) {
        const part = await page({ at: script.head, after: each, limit: 2 });
        expect(names(part)).toEqual(ODD.slice(index + 1, index + 3));
        expect(part.more).toBe(index + 3 < ODD.length);
      }
    });

    it('continue after a name that does not exist', async () => {
      await script.create(fidOf(2), ROOT, 'a').create(fidOf(3), ROOT, 'c').flush();
      expect(names(await page({ at: script.head, after: 'b' }))).toEqual(['c']);
    });

    it('show an older commit as it was', async () => {
      await script
        .create(fidOf(2), ROOT, 'a')
        .create(fidOf(3), ROOT, 'b')
        .store(fidOf(2), 5)
        .flush();
      const old = script.head;
      const status = script.status(fidOf(2));
      await script.store(fidOf(2), 6).remove(ROOT, 'b').create(fidOf(4), ROOT, 'c').flush();
      const before = await page({ at: old });
      expect(names(before)).toEqual(['a', 'b']);
      expect(before.entries[0]?.status).toEqual(status);
      expect(before.current).toBe(false);
      const now = await page({ at: script.head });
      expect(names(now)).toEqual(['a', 'c']);
      expect(now.status).toEqual(script.status(ROOT));
      expect(now.current).toBe(true);
    });

    it('are not current when only a listed vnode has changed', async () => {
      await script.create(fidOf(2), ROOT, 'a').create(fidOf(3), ROOT, 'b').flush();
      const old = script.head;
      await script.store(fidOf(3), 5).flush();
      expect((await page({ at: old })).current).toBe(false);
      expect((await page({ at: old, limit: 1 })).current).toBe(true);
    });

    it('have no status before the directory was made, and no names after its end', async () => {
      await script.mkdir(fidOf(2), ROOT, 'a').remove(ROOT, 'a').flush();
      expect(await page({ fid: fidOf(2), at: 1 })).toMatchObject({ status: null, entries: [] });
      const ended = await page({ fid: fidOf(2), at: 3 });
      expect(ended).toMatchObject({ status: { links: 0 }, entries: [], more: false });
    });

    it('are empty for a file', async () => {
      await script.create(fidOf(2), ROOT, 'a').flush();
      const none = await page({ fid: fidOf(2), at: 2 });
      expect(none).toMatchObject({ status: { kind: 'file' }, entries: [], more: false });
    });
  });
}
