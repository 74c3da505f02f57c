/** What every MetaStore must do, except for its versioned reads (meta-store-history.suite.ts). */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeFid } from '../../shared/model/fid.ts';
import { hashOfSecret } from '../../shared/model/invitation.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import { wallTime } from '../../shared/model/time.ts';
import { updateSeq, type UpdateResult } from '../../shared/model/update.ts';
import { commitNumber, dataVersion, EMPTY_DIGEST } from '../../shared/model/vnode.ts';
import type { MetaStore } from '../../shared/ports/meta-store.ts';
import { DEVICE, fidOf, FIRST, MetaScript, ROOT, VOLUME } from './meta-script.ts';
import { rowOf, type MetaHarness } from './meta-store-harness.ts';

const FINGERPRINT = 'f'.repeat(64);
const EXPIRES = wallTime(FIRST.when + 1000);
const seq = updateSeq;
const NO_QUOTA = { limit: null, used: 0 };

const hello = (changes: Partial<Extract<RowWrite, { kind: 'device' }>> = {}): RowWrite => ({
  kind: 'device',
  id: DEVICE,
  fingerprint: FINGERPRINT,
  name: 'laptop',
  user: 1,
  incarnation: '1'.repeat(32),
  previousIncarnation: null,
  when: FIRST.when,
  ...changes,
});
const applied = (number: number, device = DEVICE): RowWrite => {
  const result: UpdateResult = { seq: seq(number), ok: false, refusal: 'no-right', existing: null };
  return { kind: 'applied', device, result };
};

export function metaStoreSuite(name: string, make: () => MetaHarness): void {
  let harness: MetaHarness;
  let store: MetaStore;

  beforeEach(() => {
    harness = make();
    store = harness.store;
  });
  afterEach(() => harness.end());

  const device = () => rowOf(store, { kind: 'device', fingerprint: FINGERPRINT });
  const result = (number: number, of = DEVICE) =>
    rowOf(store, { kind: 'applied', device: of, seq: seq(number) });
  /** Opens the store in another process and ignores its first state. */
  const restart = async () => {
    store = harness.restart();
    return store.open({ ...FIRST, epoch: 'd'.repeat(32), volumeName: 'other', userName: 'eve' });
  };

  describe(`the opening of a MetaStore (${name})`, () => {
    it('creates the first state of an empty store', async () => {
      expect(await store.open(FIRST)).toEqual({
        epoch: FIRST.epoch,
        volumes: [{ id: VOLUME, name: 'home', head: 1, lastUniquifier: 1, ...NO_QUOTA }],
        cuts: [],
        dirty: [],
        leases: [],
        sharing: [],
        ...{ nextDevice: 1, newestDevices: [] },
      });
      const root = await rowOf(store, { kind: 'vnode', fid: ROOT });
      expect(root).toMatchObject({
        status: {
          kind: 'directory',
          commit: 1,
          version: 0,
          links: 1,
          mtime: '1700000000000000000',
        },
        entries: 0,
      });
    });

    it('changes nothing in a store that is not empty', async () => {
      const before = await store.open(FIRST);
      expect(await restart()).toEqual(before);
    });

    it('returns what the previous process left', async () => {
      await store.open(FIRST);
      const script = await MetaScript.on(store);
      await script.create(fidOf(2), ROOT, 'a').flush();
      await store.commit([
        hello({ id: 4, fingerprint: '4'.repeat(64) }),
        hello(),
        { kind: 'lease', device: 4, run: '' },
        { kind: 'lease', device: DEVICE, run: 'b' },
        { kind: 'lease', device: DEVICE, run: 'a' },
        { kind: 'lease', device: DEVICE, run: 'b' },
        { kind: 'dirty', fid: fidOf(2), device: DEVICE, seq: seq(3) },
        { kind: 'dirty', fid: fidOf(2), device: DEVICE, seq: seq(4) },
        { kind: 'dirty', fid: fidOf(3), device: DEVICE, seq: seq(5) },
        { kind: 'dirty', fid: ROOT, device: DEVICE, seq: null },
        { kind: 'clean', device: DEVICE, fid: fidOf(3) },
        { kind: 'block', volume: VOLUME, first: 65536, count: 65536, uniquifier: 7, device: 4 },
        { kind: 'sharing', fid: fidOf(2), order: 'unshared' },
        { kind: 'sharing', fid: fidOf(3), order: 'shared' },
        { kind: 'sharing', fid: ROOT, order: 'unshared' },
        { kind: 'sharing', fid: fidOf(2), order: 'shared' },
        { kind: 'sharing', fid: fidOf(3), order: null },
        { kind: 'sharing', fid: fidOf(4), order: null },
      ]);
      expect(await restart()).toEqual({
        epoch: FIRST.epoch,
        cuts: [],
        volumes: [{ id: VOLUME, name: 'home', head: 2, lastUniquifier: 7, ...NO_QUOTA }],
        dirty: [
          { fid: ROOT, device: DEVICE, seq: null },
          { fid: fidOf(2), device: DEVICE, seq: 4 },
        ],
        leases: [
          { device: DEVICE, run: 'a' },
          { device: DEVICE, run: 'b' },
          { device: 4, run: '' },
        ],
        sharing: [
          { fid: ROOT, order: 'unshared' },
          { fid: fidOf(2), order: 'shared' },
        ],
        ...{ nextDevice: 5, newestDevices: [{ user: 1, device: 4 }] },
      });
      await store.commit([
        { kind: 'no-lease', device: 4, run: '' },
        { kind: 'no-lease', device: DEVICE, run: 'b' },
        { kind: 'clean', device: 9, fid: ROOT },
      ]);
      expect((await restart()).leases).toEqual([{ device: DEVICE, run: 'a' }]);
    });
  });

  describe(`a load from a MetaStore (${name})`, () => {
    it('answers all keys in their order', async () => {
      await store.open(FIRST);
      const rows = await store.load([
        { kind: 'entry', dir: ROOT, name: 'a' },
        { kind: 'vnode', fid: ROOT },
        { kind: 'changes', volume: VOLUME, since: commitNumber(1), limit: 1 },
        { kind: 'vnode', fid: ROOT },
      ]);
      expect(rows).toMatchObject([null, { entries: 0 }, { upTo: 1 }, { entries: 0 }]);
      expect(await store.load([])).toEqual([]);
    });

    it('shows what had been committed when it was called', async () => {
      await store.open(FIRST);
      const script = await MetaScript.on(store);
      for (let number = 2; number < 10; number++) {
        await script.create(fidOf(number), ROOT, `n${number}`).flush();
        const row = await rowOf(store, { kind: 'vnode', fid: fidOf(number) });
        expect(row?.status.commit).toBe(number);
      }
    });

    it('finds a block by its uniquifier', async () => {
      await store.open(FIRST);
      const block = { volume: VOLUME, first: 65536, count: 65536, uniquifier: 2, device: 3 };
      await store.commit([{ kind: 'block', ...block }]);
      expect(await rowOf(store, { kind: 'block', volume: VOLUME, uniquifier: 2 })).toEqual(block);
      expect(await rowOf(store, { kind: 'block', volume: VOLUME, uniquifier: 3 })).toBeNull();
    });
  });

  describe(`the unused blocks in a MetaStore (${name})`, () => {
    it('are those of the device in the volume, as many as requested', async () => {
      await store.open(FIRST);
      const block = (uniquifier: number, device: number) =>
        ({
          kind: 'block',
          volume: VOLUME,
          first: 65_536 * uniquifier,
          count: 65_536,
          uniquifier,
          device: device,
        }) as const;
      await store.commit([block(7, 3), block(8, 3), block(9, 4), block(10, 3), block(11, 3)]);
      const unused = (limit: number) =>
        rowOf(store, { kind: 'unused-blocks', volume: VOLUME, device: 3, limit });
      expect(await unused(10)).toEqual([7, 8, 10, 11]);
      expect(await unused(2)).toEqual([7, 8]);
      const script = await MetaScript.on(store);
      const made = makeFid(VOLUME, 65_536 * 8 + 5, 8);
      // Another number of its range, and a number of another block.
      const others = [makeFid(VOLUME, 65_536 * 7 + 5, 9), makeFid(VOLUME, 65_536 * 10, 7)];
      for (const [n, fid] of [made, ...others].entries()) script.create(fid, ROOT, `f${n}`);
      await script.flush();
      expect(await unused(10)).toEqual([7, 10, 11]);
      await script.remove(ROOT, 'f0').flush();
      expect(await unused(10)).toEqual([7, 10, 11]);
    });
  });

  describe(`a commit to a MetaStore (${name})`, () => {
    it('survives the end of the process', async () => {
      await store.open(FIRST);
      const script = await MetaScript.on(store);
      await script
        .mkdir(fidOf(2), ROOT, 'd')
        .create(fidOf(3), fidOf(2), 'ä')
        .store(fidOf(3), 9)
        .flush();
      await store.commit([hello(), applied(1)]);
      await restart();
      expect(await rowOf(store, { kind: 'vnode', fid: fidOf(3) })).toEqual(
        script.vnodes.get(fidOf(3)),
      );
      expect((await rowOf(store, { kind: 'entry', dir: fidOf(2), name: 'ä' }))?.fid).toBe(fidOf(3));
      expect(await device()).toMatchObject({ id: DEVICE, highest: 1 });
    });

    it('is not seen in part by whoever asks while it is written in turns', async () => {
      await store.open(FIRST);
      const waiting: Array<() => void> = [];
      const turns = { isOver: () => true, goOn: (then: () => void) => void waiting.push(then) };
      const written = store.commit([hello(), applied(1), applied(2)], turns);
      const asked = [device(), result(1), result(2)];
      const access = store.accessOf([DEVICE]);
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await new Promise((resolve) => setImmediate(resolve));
        next();
      }
      await written;
      expect((await Promise.all(asked)).map((row) => row !== null)).toEqual([true, true, true]);
      expect(await access).toMatchObject([{ device: DEVICE }]);
      await restart();
      expect([await device(), await result(2)]).not.toContain(null);
    });

    it('leaves nothing when one write of later turns does not fit', async () => {
      await store.open(FIRST);
      const turns = { isOver: () => true, goOn: (then: () => void) => void setImmediate(then) };
      const stray: RowWrite = { kind: 'used', volume: VOLUME, used: 9, previous: 7 };
      const failed = store.commit([hello(), applied(1), stray], turns);
      const asked = device();
      await expect(failed).rejects.toBeDefined();
      expect([await asked, await device(), await result(1)]).toEqual([null, null, null]);
      await store.commit([hello()]);
      expect(await device()).toMatchObject({ id: DEVICE });
    });

    it('accepts contents that exist already', async () => {
      await store.open(FIRST);
      const content: RowWrite = { kind: 'content', digest: EMPTY_DIGEST, size: 0 };
      await store.commit([content]);
      await expect(store.commit([content, content])).resolves.toBeUndefined();
    });

    it('changes nothing when one write does not fit', async () => {
      await store.open(FIRST);
      const script = await MetaScript.on(store);
      await script.create(fidOf(2), ROOT, 'a').flush();
      await store.commit([
        hello(),
        applied(1),
        { kind: 'dirty', fid: fidOf(2), device: DEVICE, seq: seq(2) },
      ]);
      const { id } = harness.invite({ user: 'ada', rights: 'read', expires: EXPIRES });
      const keys = [
        { kind: 'vnode', fid: fidOf(2) },
        { kind: 'entry', dir: ROOT, name: 'a' },
        { kind: 'entry', dir: ROOT, name: 'b' },
        { kind: 'device', fingerprint: FINGERPRINT },
        { kind: 'device', fingerprint: '9'.repeat(64) },
        { kind: 'applied', device: DEVICE, seq: seq(1) },
        { kind: 'applied', device: DEVICE, seq: seq(2) },
        { kind: 'invitation', id },
        { kind: 'block', volume: VOLUME, uniquifier: 2 },
        { kind: 'changes', volume: VOLUME, since: commitNumber(0), limit: 9 },
        { kind: 'snapshot', volume: VOLUME, at: commitNumber(9), after: null, limit: 9 },
      ] as const;
      const before = await store.load(keys);
      script.rename({ dir: ROOT, name: 'a' }, { dir: ROOT, name: 'b' }).store(fidOf(2), 5);
      const fits: RowWrite[] = [
        ...script.pending,
        applied(2),
        { kind: 'low-water', device: DEVICE, lowWater: seq(2) },
        { kind: 'clean', device: DEVICE, fid: fidOf(2) },
        { kind: 'dirty', fid: ROOT, device: DEVICE, seq: seq(3) },
        hello({ name: 'renamed' }),
        hello({ id: 9, fingerprint: '9'.repeat(64) }),
        { kind: 'lease', device: DEVICE, run: '' },
        { kind: 'block', volume: VOLUME, first: 65536, count: 65536, uniquifier: 2, device: 1 },
        { kind: 'content', digest: EMPTY_DIGEST, size: 0 },
        {
          kind: 'redeemed',
          ...{ id, fingerprint: FINGERPRINT, user: 1, volume: VOLUME, rights: 'write' },
          when: FIRST.when,
        },
      ];
      const wrong: RowWrite = {
        kind: 'entry',
        ...{ dir: ROOT, name: 'c', fid: null, commit: commitNumber(5), previous: commitNumber(2) },
      };
      await expect(store.commit([...fits, wrong])).rejects.toThrow();
      expect(await store.load(keys)).toEqual(before);
      expect(await restart()).toMatchObject({
        volumes: [{ head: 2, lastUniquifier: 1 }],
        dirty: [{ fid: fidOf(2), device: DEVICE, seq: 2 }],
        leases: [],
        nextDevice: 2,
      });
      expect(await store.load(keys)).toEqual(before);
      await store.commit(fits);
      expect((await rowOf(store, { kind: 'vnode', fid: fidOf(2) }))?.status.size).toBe(5);
    });

    it('refuses a vnode that has changed since it was read', async () => {
      await store.open(FIRST);
      const script = await MetaScript.on(store);
      await script.create(fidOf(2), ROOT, 'a').store(fidOf(2), 1).flush();
      const { status } = script.vnodes.get(fidOf(2)) ?? { status: null };
      if (status === null) throw new Error('the script has made it');
      const row = { status: { ...status, commit: commitNumber(9) }, entries: 0 };
      for (const previous of [null, commitNumber(2)]) {
        const write: RowWrite = { kind: 'vnode', row, previous, ordinal: 0 };
        await expect(store.commit([write])).rejects.toThrow();
      }
    });
  });

  describe(`the rows of a commit to a MetaStore (${name})`, () => {
    it('are written together with its log row or not at all', async () => {
      await store.open(FIRST);
      const script = await MetaScript.on(store);
      const writes = script.create(fidOf(2), ROOT, 'a').pending.splice(0);
      const rows = writes.filter(({ kind }) => kind !== 'log');
      await expect(store.commit(rows)).rejects.toThrow();
      expect(await rowOf(store, { kind: 'vnode', fid: fidOf(2) })).toBeNull();
      const log = writes.filter(({ kind }) => kind === 'log');
      // The position of the row among the writes does not matter.
      await store.commit([...log, ...rows]);
      expect((await rowOf(store, { kind: 'vnode', fid: fidOf(2) }))?.status.commit).toBe(2);
    });
  });

  describe(`devices and results in a MetaStore (${name})`, () => {
    it('are returned with the rights of their user', async () => {
      await store.open(FIRST);
      expect(await device()).toBeNull();
      await store.commit([hello()]);
      expect(await device()).toEqual({
        id: DEVICE,
        fingerprint: FINGERPRINT,
        name: 'laptop',
        user: 1,
        userName: 'ada',
        home: VOLUME,
        revoked: false,
        incarnation: '1'.repeat(32),
        lowWater: 0,
        highest: 0,
        access: [{ volume: VOLUME, name: 'home', rights: 'write' }],
      });
    });

    it('take a new incarnation and keep their name and low water', async () => {
      await store.open(FIRST);
      const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
      await store.commit([hello(), { kind: 'low-water', device: DEVICE, lowWater: seq(5) }]);
      await store.commit([hello({ name: 'desk', incarnation: two, previousIncarnation: one })]);
      expect(await device()).toMatchObject({
        name: 'laptop',
        incarnation: two,
        lowWater: 5,
        highest: 4,
      });
    });

    it('remain when they are above the low water', async () => {
      await store.open(FIRST);
      await store.commit([hello(), hello({ id: 2, fingerprint: '2'.repeat(64) })]);
      await store.commit([applied(1), applied(2), applied(4), applied(1, 2)]);
      expect(await device()).toMatchObject({ lowWater: 0, highest: 4 });
      await store.commit([{ kind: 'low-water', device: DEVICE, lowWater: seq(4) }]);
      expect(await result(2)).toBeNull();
      const kept = { seq: 4, ok: false, refusal: 'no-right', existing: null };
      expect(await result(4)).toEqual({ result: kept, name: null });
      expect(await result(1, 2)).not.toBeNull();
      expect(await device()).toMatchObject({ lowWater: 4, highest: 4 });
      await store.commit([{ kind: 'low-water', device: DEVICE, lowWater: seq(9) }]);
      expect(await device()).toMatchObject({ lowWater: 9, highest: 8 });
    });

    it('keep a result unchanged, with the name of its update', async () => {
      await store.open(FIRST);
      const script = await MetaScript.on(store);
      await script.create(fidOf(2), ROOT, 'a').flush();
      const good: UpdateResult = {
        ...{ seq: seq(1), ok: true, commit: commitNumber(2) },
        touched: [{ fid: fidOf(2), before: dataVersion(0), after: dataVersion(1) }],
      };
      const bad: UpdateResult = {
        ...{ seq: seq(2), ok: false, refusal: 'stale-base', existing: script.status(fidOf(2)) },
      };
      await store.commit([
        hello(),
        { kind: 'applied', device: DEVICE, result: good },
        { kind: 'applied', device: DEVICE, result: bad, name: '0123456789abcdef' },
      ]);
      const kept = { result: bad, name: '0123456789abcdef' };
      expect([await result(1), await result(2)]).toEqual([{ result: good, name: null }, kept]);
    });
  });

  describe(`an administrator beside a MetaStore (${name})`, () => {
    it('invites a user, and the store reports an outside change once', async () => {
      await store.open(FIRST);
      expect(await store.changedOutside()).toBe(false);
      const { id, secret } = harness.invite({ user: 'bob', rights: 'read', expires: EXPIRES });
      expect(await store.changedOutside()).toBe(true);
      expect(await store.changedOutside()).toBe(false);
      const row = await rowOf(store, { kind: 'invitation', id });
      expect(row).toEqual({
        id,
        secretHash: hashOfSecret(secret),
        user: row?.user,
        userName: 'bob',
        ...{ volume: VOLUME, rights: 'read', expires: EXPIRES, redeemedBy: null },
        access: [],
        becomes: { rights: 'read' },
        volumeName: 'home',
        deviceNames: [],
      });
      expect(row?.user).not.toBe(1);
    });

    it('is not confused with the store itself', async () => {
      await store.open(FIRST);
      await store.commit([hello()]);
      expect(await store.changedOutside()).toBe(false);
    });

    it('grants the invited right to a user who redeems it, and never reduces rights', async () => {
      await store.open(FIRST);
      const redeem = async (rights: 'read' | 'write') => {
        const { id } = harness.invite({ user: 'bob', rights, expires: EXPIRES });
        const row = await rowOf(store, { kind: 'invitation', id });
        const user = row?.user ?? 0;
        const to = { user, volume: VOLUME, rights } as const;
        await store.commit([
          { kind: 'redeemed', id, fingerprint: FINGERPRINT, ...to, when: FIRST.when },
          hello({ user }),
        ]);
        const used = await rowOf(store, { kind: 'invitation', id });
        expect(used?.redeemedBy).toBe(FINGERPRINT);
        expect(used?.deviceNames).toMatchObject([{ id: DEVICE }]);
        return (await device())?.access.map((each) => each.rights);
      };
      expect(await redeem('read')).toEqual(['read']);
      expect(await redeem('write')).toEqual(['write']);
      expect(await redeem('read')).toEqual(['write']);
      expect((await device())?.userName).toBe('bob');
    });

    it('revokes a device, which its next hello does not overrule', async () => {
      await store.open(FIRST);
      await store.commit([hello(), hello({ id: 2, fingerprint: '2'.repeat(64) })]);
      harness.revoke(DEVICE);
      expect(await store.changedOutside()).toBe(true);
      expect(await device()).toMatchObject({ revoked: true });
      const access = [{ volume: VOLUME, name: 'home', rights: 'write' }];
      expect(await store.accessOf([7, 2, DEVICE])).toEqual([
        { device: 2, name: expect.any(String), revoked: false, access },
        { device: DEVICE, name: expect.any(String), revoked: true, access },
      ]);
      await store.commit([hello({ incarnation: '3'.repeat(32) })]);
      expect(await device()).toMatchObject({ revoked: true });
    });

    it('renames a device, which the next hello does not undo', async () => {
      await store.open(FIRST);
      await store.commit([hello(), hello({ id: 2, fingerprint: '2'.repeat(64), name: 'second' })]);
      harness.rename(DEVICE, 'by the administrator');
      expect(await store.changedOutside()).toBe(true);
      await store.commit([hello({ incarnation: '3'.repeat(32), name: 'as before' })]);
      expect(await device()).toMatchObject({ name: 'by the administrator' });
      expect(await store.accessOf([DEVICE])).toMatchObject([{ name: 'by the administrator' }]);
      await store.commit([{ kind: 'device-name', id: DEVICE, name: 'by itself' }]);
      harness.revoke(2);
      const [names] = await store.load([{ kind: 'device-names', user: 1 }]);
      expect(names).toEqual([{ id: DEVICE, name: 'by itself', since: FIRST.when }]);
      expect((await restart()).newestDevices).toEqual([{ user: 1, device: DEVICE }]);
    });

    it('gives no device the name that an administrator gave another one meanwhile', async () => {
      await store.open(FIRST);
      await store.commit([hello({ name: 'first' })]);
      harness.rename(DEVICE, 'Laptop');
      await store.commit([hello({ id: 2, fingerprint: '2'.repeat(64) })]);
      expect(await store.accessOf([2])).toMatchObject([{ name: 'laptop 2' }]);
      await store.commit([{ kind: 'device-name', id: 2, name: 'laptop' }]);
      expect(await store.accessOf([2])).toMatchObject([{ name: 'laptop 2' }]);
    });
  });
}
