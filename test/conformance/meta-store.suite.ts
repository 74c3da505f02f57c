/** What every store of the MetaStore port must do. */
import { describe, expect, it } from '@jest/globals';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { hashOfSecret } from '../../shared/model/invitation.ts';
import type {
  AnyRow,
  KeyOf,
  RowKey,
  RowKind,
  RowOf,
  RowWrite,
  StoredVnode,
} from '../../shared/model/stored.ts';
import { wallTime } from '../../shared/model/time.ts';
import type { UpdateSeq } from '../../shared/model/update.ts';
import type { CommitNumber, DataVersion, Digest, Mtime } from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';

export interface MetaStoreFixture {
  readonly store: MetaStore;
  /** The same rows, as the next process finds them. */
  reopen(): Promise<MetaStore>;
  /** What an administrator does, from another process. */
  invite(id: string, secret: string, user: string): void;
  revoke(device: number): void;
}

const HOME = 1 as VolumeId;
const ROOT = rootOf(HOME);
const FIRST = { epoch: 'e'.repeat(32), volumeName: 'home', userName: 'owner', when: wallTime(0) };
const fidOf = (n: number): Fid => makeFid(1, 65_536 + n, 2);
const commitOf = (n: number): CommitNumber => n as CommitNumber;
const seqOf = (n: number): UpdateSeq => n as UpdateSeq;

function vnode(fid: Fid, commit: number, change: Partial<StoredVnode['status']> = {}): StoredVnode {
  return {
    status: {
      fid,
      kind: 'file',
      mode: 0o644,
      mtime: '-1500000000000000001' as Mtime,
      size: 0,
      version: 0 as DataVersion,
      commit: commitOf(commit),
      digest: null,
      target: null,
      links: 1,
      xattrs: [],
      ...change,
    },
    entries: 0,
  };
}

const directory = (fid: Fid, commit: number, entries: number): StoredVnode => ({
  ...vnode(fid, commit, { kind: 'directory', version: commit as DataVersion }),
  entries,
});

const log = (commit: number): RowWrite => ({
  kind: 'log',
  volume: HOME,
  commit: commitOf(commit),
  device: 7,
  seq: seqOf(commit),
  when: wallTime(5),
});

const put = (row: StoredVnode, previous: number | null, ordinal = 0): RowWrite => ({
  kind: 'vnode',
  row,
  previous: previous === null ? null : commitOf(previous),
  ordinal,
});

const name = (
  text: string,
  fid: Fid | null,
  commit: number,
  previous: number | null = null,
  dir = ROOT,
): RowWrite => ({
  kind: 'entry',
  dir,
  name: text,
  fid,
  commit: commitOf(commit),
  previous: previous === null ? null : commitOf(previous),
});

/** Commits 2 ... n + 1, each of which makes a file in the root. */
function files(names: readonly string[]): RowWrite[] {
  return names.flatMap((text, index) => {
    const commit = index + 2;
    return [
      put(vnode(fidOf(index), commit), null),
      put(directory(ROOT, commit, index + 1), commit - 1, 1),
      name(text, fidOf(index), commit),
      log(commit),
    ];
  });
}

async function row<K extends RowKind>(store: MetaStore, key: KeyOf<K>): Promise<RowOf<K>> {
  const [value] = await store.load([key as RowKey]);
  return value as AnyRow as RowOf<K>;
}

export function metaStoreSuite(open: () => MetaStoreFixture): void {
  firstState(open);
  versions(open);
  listings(open);
  feed(open);
  devices(open);
}

function firstState(open: () => MetaStoreFixture): void {
  describe('the first state', () => {
    it('is made once', async () => {
      const { store, reopen } = open();
      const first = await store.open(FIRST);
      expect(first).toMatchObject({ epoch: FIRST.epoch, dirty: [], leases: [], nextDevice: 1 });
      expect(first.volumes).toEqual([{ id: 1, name: 'home', head: 1, lastUniquifier: 1 }]);
      await store.close();
      const again = await reopen();
      expect(await again.open({ ...FIRST, epoch: 'f'.repeat(32) })).toEqual(first);
    });

    it('has a root directory, made by commit 1', async () => {
      const { store } = open();
      await store.open(FIRST);
      const root = await row(store, { kind: 'vnode', fid: ROOT });
      expect(root).toMatchObject({
        entries: 0,
        status: { kind: 'directory', commit: 1, links: 1 },
      });
      const page = await row(store, {
        kind: 'changes',
        volume: HOME,
        since: commitOf(0),
        limit: 9,
      });
      expect(page.commits).toMatchObject([{ commit: 1, device: 0, vnodes: [{ fid: ROOT }] }]);
    });
  });
}

function versions(open: () => MetaStoreFixture): void {
  describe('rows', () => {
    it('come in the order of their keys, null where there is none', async () => {
      const { store } = open();
      await store.open(FIRST);
      const whole = vnode(fidOf(0), 2, {
        mode: 0o7777,
        size: 2 ** 48,
        digest: 'a'.repeat(64) as Digest,
        xattrs: [{ name: 'user.x', value: 'AA==' }],
      });
      await store.commit([put(whole, null), name('x', fidOf(0), 2), log(2)]);
      const rows = await store.load([
        { kind: 'entry', dir: ROOT, name: 'x' },
        { kind: 'vnode', fid: fidOf(1) },
        { kind: 'vnode', fid: fidOf(0) },
        { kind: 'entry', dir: ROOT, name: 'y' },
      ]);
      expect(rows).toEqual([{ fid: fidOf(0), since: 2 }, null, whole, null]);
    });

    it('give way to newer ones; a freed name has none', async () => {
      const { store } = open();
      await store.open(FIRST);
      await store.commit(files(['x']));
      const changed = vnode(fidOf(0), 3, { version: 1 as DataVersion, links: 0 });
      await store.commit([put(changed, 2), name('x', null, 3, 2), log(3)]);
      expect(await row(store, { kind: 'vnode', fid: fidOf(0) })).toEqual(changed);
      expect(await row(store, { kind: 'entry', dir: ROOT, name: 'x' })).toBeNull();
      const old = await row(store, { kind: 'version', fid: fidOf(0), version: 0 as DataVersion });
      expect(old).toMatchObject({ commit: 2, version: 0 });
      expect(
        await row(store, { kind: 'version', fid: fidOf(0), version: 9 as DataVersion }),
      ).toBeNull();
    });

    it('of a failed commit are not there at all', async () => {
      const { store } = open();
      await store.open(FIRST);
      const wrong = [...files(['x']), put(vnode(fidOf(0), 9), 8)];
      await expect(store.commit(wrong)).rejects.toThrow();
    });

    it('lead from a directory to the root', async () => {
      const { store } = open();
      await store.open(FIRST);
      await store.commit([
        put(directory(fidOf(0), 2, 1), null),
        name('a', fidOf(0), 2),
        log(2),
        put(directory(fidOf(1), 3, 0), null),
        name('b', fidOf(1), 3, null, fidOf(0)),
        log(3),
      ]);
      expect(await row(store, { kind: 'ancestors', fid: fidOf(1) })).toEqual([
        { fid: fidOf(1), dir: fidOf(0) },
        { fid: fidOf(0), dir: ROOT },
      ]);
      expect(await row(store, { kind: 'ancestors', fid: ROOT })).toEqual([]);
    });
  });
}

function listings(open: () => MetaStoreFixture): void {
  const page = (store: MetaStore, at: number, after: string | null, limit: number) =>
    row(store, { kind: 'directory', fid: ROOT, at: commitOf(at), after, limit });

  describe('a directory', () => {
    it('is listed in code-unit order, page by page', async () => {
      const { store } = open();
      await store.open(FIRST);
      const names = ['b', '😀', '！', 'a', 'Z'];
      await store.commit(files(names));
      const first = await page(store, 6, null, 3);
      expect(first.entries.map((entry) => entry.name)).toEqual(['Z', 'a', 'b']);
      expect(first).toMatchObject({ more: true, current: true, status: { commit: 6 } });
      const rest = await page(store, 6, 'b', 3);
      expect(rest.entries.map((entry) => entry.name)).toEqual(['😀', '！']);
      expect(rest).toMatchObject({ more: false, current: true });
    });

    it('is listed as it was at a commit, and says whether it still is so', async () => {
      const { store } = open();
      await store.open(FIRST);
      await store.commit(files(['x', 'y']));
      await store.commit([
        put(vnode(fidOf(0), 4, { mode: 0 }), 2),
        name('y', null, 4, 3),
        put(directory(ROOT, 4, 1), 3, 1),
        log(4),
      ]);
      const before = await page(store, 3, null, 9);
      expect(before.entries.map((entry) => [entry.name, entry.status.mode])).toEqual([
        ['x', 0o644],
        ['y', 0o644],
      ]);
      expect(before.current).toBe(false);
      expect((await page(store, 2, null, 9)).entries).toHaveLength(1);
      const now = await page(store, 4, null, 9);
      expect(now).toMatchObject({ current: true, entries: [{ name: 'x', status: { mode: 0 } }] });
    });

    it('that is not there has no status', async () => {
      const { store } = open();
      await store.open(FIRST);
      const key = { kind: 'directory', fid: fidOf(0), at: commitOf(1), after: null } as const;
      expect(await row(store, { ...key, limit: 9 })).toMatchObject({ status: null, entries: [] });
    });
  });

  it('a snapshot has each vnode with its names, in order of numbers, as of its commit', async () => {
    const { store } = open();
    await store.open(FIRST);
    await store.commit(files(['x', 'y']));
    await store.commit([
      name('also y', fidOf(1), 4),
      put(vnode(fidOf(0), 4, { links: 0 }), 2),
      log(4),
    ]);
    const key = { kind: 'snapshot', volume: HOME, at: commitOf(4), limit: 1 } as const;
    const first = await row(store, { ...key, after: null });
    expect(first.vnodes).toMatchObject([{ status: { fid: ROOT }, names: [] }]);
    expect(first.more).toBe(true);
    const second = await row(store, { ...key, after: ROOT });
    const names = [
      { dir: ROOT, name: 'also y' },
      { dir: ROOT, name: 'y' },
    ];
    expect(second).toMatchObject({ more: false, vnodes: [{ status: { fid: fidOf(1) }, names }] });
    const old = await row(store, { ...key, after: ROOT, at: commitOf(3), limit: 9 });
    expect(old.vnodes.map(({ status }) => status.fid)).toEqual([fidOf(0), fidOf(1)]);
  });
}

function feed(open: () => MetaStoreFixture): void {
  const changes = (store: MetaStore, since: number, limit: number) =>
    row(store, { kind: 'changes', volume: HOME, since: commitOf(since), limit });

  describe('the change feed', () => {
    it('tells commits in order, page by page', async () => {
      const { store } = open();
      await store.open(FIRST);
      await store.commit(files(['x', 'y', 'z']));
      const first = await changes(store, 1, 2);
      expect(first.commits.map(({ commit }) => commit)).toEqual([2, 3]);
      expect(first.upTo).toBe(3);
      const rest = await changes(store, 3, 2);
      expect(rest).toMatchObject({ upTo: 4, commits: [{ commit: 4, device: 7, seq: 4 }] });
      expect(await changes(store, 4, 2)).toEqual({ commits: [], upTo: 4 });
    });

    it('tells a rename over another as one name freed and one set', async () => {
      const { store } = open();
      await store.open(FIRST);
      await store.commit(files(['x', 'y']));
      await store.commit([
        put(directory(ROOT, 4, 1), 3, 0),
        put(vnode(fidOf(1), 4, { links: 0 }), 3, 1),
        name('x', null, 4, 2),
        name('y', fidOf(0), 4, 3),
        log(4),
      ]);
      const { commits } = await changes(store, 3, 9);
      expect(commits[0]?.entries).toEqual([
        { dir: ROOT, name: 'x', fid: null },
        { dir: ROOT, name: 'y', fid: fidOf(0) },
      ]);
      expect(commits[0]?.vnodes.map(({ fid, links }) => [fid, links])).toEqual([
        [ROOT, 1],
        [fidOf(1), 0],
      ]);
    });
  });
}

function devices(open: () => MetaStoreFixture): void {
  const fingerprint = 'f'.repeat(64);
  const device = (incarnation: string, previousIncarnation: string | null): RowWrite => ({
    kind: 'device',
    id: 1,
    fingerprint,
    name: 'laptop',
    user: 1,
    incarnation,
    previousIncarnation,
    when: wallTime(1),
  });

  describe('devices', () => {
    it('are known by their fingerprint, with what they may do', async () => {
      const { store, reopen } = open();
      await store.open(FIRST);
      await store.commit([device('1', null), { kind: 'lease', device: 1 }]);
      await store.commit([device('2', '1')]);
      expect(await row(store, { kind: 'device', fingerprint })).toMatchObject({
        id: 1,
        userName: 'owner',
        incarnation: '2',
        revoked: false,
        highest: 0,
        access: [{ volume: 1, name: 'home', rights: 'write' }],
      });
      await store.close();
      expect(await (await reopen()).open(FIRST)).toMatchObject({ leases: [1], nextDevice: 2 });
    });

    it('keep results above their low water, and dirty marks until they end', async () => {
      const { store, reopen } = open();
      await store.open(FIRST);
      const result = { seq: seqOf(3), ok: false, refusal: 'cycle', existing: null } as const;
      await store.commit([
        device('1', null),
        { kind: 'applied', device: 1, result },
        { kind: 'applied', device: 1, result: { ...result, seq: seqOf(4) } },
        { kind: 'dirty', fid: fidOf(0), device: 1, seq: seqOf(5) },
        { kind: 'dirty', fid: fidOf(1), device: 1, seq: seqOf(6) },
      ]);
      await store.commit([
        { kind: 'low-water', device: 1, lowWater: seqOf(4) },
        { kind: 'clean', device: 1, seq: seqOf(6) },
      ]);
      expect(await row(store, { kind: 'applied', device: 1, seq: seqOf(3) })).toBeNull();
      expect(await row(store, { kind: 'applied', device: 1, seq: seqOf(4) })).toMatchObject({
        refusal: 'cycle',
      });
      expect(await row(store, { kind: 'device', fingerprint })).toMatchObject({ highest: 4 });
      await store.close();
      expect((await (await reopen()).open(FIRST)).dirty).toEqual([
        { fid: fidOf(0), device: 1, seq: 5 },
      ]);
    });

    it('redeem invitations, and get blocks', async () => {
      const { store, reopen, invite } = open();
      await store.open(FIRST);
      invite('i1', 's', 'guest');
      const invitation = await row(store, { kind: 'invitation', id: 'i1' });
      expect(invitation).toMatchObject({
        secretHash: hashOfSecret('s'),
        userName: 'guest',
        volume: 1,
        volumeName: 'home',
        redeemedBy: null,
        access: [],
      });
      const user = invitation?.user ?? 0;
      const block = { volume: HOME, first: 65_536, count: 9, uniquifier: 2, device: 1 };
      await store.commit([
        {
          kind: 'redeemed',
          id: 'i1',
          fingerprint,
          user,
          volume: HOME,
          rights: 'read',
          when: wallTime(1),
        },
        { ...(device('1', null) as Extract<RowWrite, { kind: 'device' }>), user },
        { kind: 'block', ...block },
      ]);
      expect(await row(store, { kind: 'invitation', id: 'i1' })).toMatchObject({
        redeemedBy: fingerprint,
        access: [{ rights: 'read' }],
      });
      expect(await row(store, { kind: 'block', volume: HOME, uniquifier: 2 })).toEqual(block);
      await store.close();
      expect((await (await reopen()).open(FIRST)).volumes[0]?.lastUniquifier).toBe(2);
    });

    it('are revoked from outside, which is noticed once', async () => {
      const { store, revoke } = open();
      await store.open(FIRST);
      await store.commit([device('1', null)]);
      await store.changedOutside();
      expect(await store.changedOutside()).toBe(false);
      revoke(1);
      expect([await store.changedOutside(), await store.changedOutside()]).toEqual([true, false]);
      expect(await store.accessOf([1, 2])).toMatchObject([
        { device: 1, revoked: true },
        { device: 2, revoked: true, access: [] },
      ]);
    });
  });
}
