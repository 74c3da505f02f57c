import { expect, it } from '@jest/globals';
import {
  commitOf,
  digest,
  fakeLaptop,
  FILE,
  foundBy,
  statusOf,
} from '../../../../test/support/observations.ts';
import { commitNumber, dataVersion } from '../../../../shared/model/vnode.ts';
import type { Laptop } from './laptop.ts';
import type { Observation, Running } from './observation.ts';
import { nothingLost } from './nothing-lost.ts';

const { client } = fakeLaptop();
Object.assign(client, { running: false });
Object.assign(client.replica, { vnodes: new Map() });
/** No laptop is there to show anything in the end. */
const cluster = { clients: [], gone: [] };

const running = { number: 1, client, operation: { op: 'write' } } as unknown as Running;
const wrote: Observation = {
  kind: 'wrote',
  running,
  path: '/doc',
  attributes: { ...statusOf({ digest: digest('c') }), cached: true, sync: 'pending' } as never,
};
const committed = commitOf(4, 1, { vnodes: [statusOf({ digest: digest('c') })] });
const row = { fid: FILE, version: dataVersion(1), digest: digest('c'), size: 4, used: 0 };
const cached = (value: typeof row | undefined): Observation => ({
  kind: 'saved',
  client,
  changes: [{ table: 'content', key: 'c1', value }],
});
const restoredTo = (last: number): Observation => ({
  kind: 'restored',
  epoch: 'later',
  volumes: [{ epoch: 'e', volume: 1 as never, last: commitNumber(last), first: commitNumber(100) }],
});

it('the checker accepts contents in the folder of a laptop that left', async () => {
  const kept = new Map([
    [FILE, { status: statusOf({ digest: digest('c') }), bytes: new Uint8Array() }],
  ]);
  const left = { volume: 1, disk: { list: () => [] }, replica: { vnodes: kept } };
  const { server, run } = { server: { history: () => [] }, run: (asked: unknown) => asked };
  const gone = { clients: [], gone: [left], server, run };
  expect(await foundBy(nothingLost, [wrote, committed], gone)).toEqual([]);
  kept.clear();
  expect(await foundBy(nothingLost, [wrote, committed], gone)).toHaveLength(1);
});

it('the checker finds a write that is nowhere', async () => {
  expect(await foundBy(nothingLost, [wrote, committed], cluster)).toEqual([
    expect.stringContaining('what ada wrote to /doc is nowhere'),
  ]);
});

it('the checker accepts a laptop that replaces its own last store, not another version', async () => {
  const store = { op: 'store', fid: FILE, base: 2, digest: digest('c') };
  const rename = (base: number) => ({ op: 'rename', fid: '1.2.9', over: { fid: FILE, base } });
  const logged = (seq: number, update: object): Observation => ({
    kind: 'saved',
    client,
    changes: [{ table: 'update', key: String(seq), value: { seq, update } as never }],
  });
  const replaced = (base: number) => [wrote, logged(1, store), logged(2, rename(base))];
  expect(await foundBy(nothingLost, replaced(3), cluster)).toEqual([]);
  expect(await foundBy(nothingLost, replaced(2), cluster)).toHaveLength(1);
});

it('the checker accepts held-back contents that go with their file, not with another version', async () => {
  const store = { op: 'store', fid: FILE, base: 2, digest: digest('c') };
  const change = (seq: number, value: object | undefined) =>
    ({ table: 'update', key: String(seq), value }) as never;
  const held = { seq: 1, rank: 1, update: store, answer: null };
  const logged: Observation = { kind: 'saved', client, changes: [change(1, held)] };
  // The store leaves, and what ends its file is logged a second time: over the version before it.
  const ended = (base: number, rank = 2): Observation[] => {
    const update = { op: 'remove', fid: FILE, base };
    const changes = [change(2, undefined), change(1, undefined)];
    const again = change(3, { seq: 3, rank, update, answer: null });
    return [wrote, logged, { kind: 'saved', client, changes: [...changes, again] }];
  };
  expect(await foundBy(nothingLost, ended(2), cluster)).toEqual([]);
  expect(await foundBy(nothingLost, ended(1), cluster)).toHaveLength(1);
  // As it was logged at first, it was made over what the store was made over.
  expect(await foundBy(nothingLost, ended(2, 3), cluster)).toHaveLength(1);
});

it('the checker accepts a store that leaves with a removal over it, unless it had left before', async () => {
  const store = { op: 'store', fid: FILE, base: 2, digest: digest('c') };
  const remove = { op: 'remove', fid: FILE, base: 3 };
  const saved = (...changes: (readonly [number, object | undefined])[]): Observation => ({
    kind: 'saved',
    client,
    changes: changes.map(
      ([seq, update]) =>
        ({
          table: 'update',
          key: String(seq),
          value: update === undefined ? undefined : { seq, rank: seq, update, answer: null },
        }) as never,
    ),
  });
  // The answer to the store is a refusal, which takes the removal along that was logged just now.
  const together = saved([2, remove], [2, undefined], [1, undefined]);
  expect(await foundBy(nothingLost, [wrote, saved([1, store]), together], cluster)).toEqual([]);
  const before = [wrote, saved([1, store]), saved([1, undefined], [2, remove], [2, undefined])];
  expect(await foundBy(nothingLost, before, cluster)).toHaveLength(1);
});

it('the checker finds contents that were given up, restored, and are nowhere', async () => {
  const gaveUp: Observation = { kind: 'overwrote', client, digest: digest('c') };
  const broughtBack: Observation = { kind: 'brought-back', client, digest: digest('c') };
  const found = await foundBy(nothingLost, [wrote, gaveUp, broughtBack], cluster);
  expect(found).toEqual([expect.stringContaining('out of the past, is nowhere')]);
  expect(await foundBy(nothingLost, [wrote, gaveUp, broughtBack, gaveUp], cluster)).toEqual([]);
});

it('the checker takes what two laptops brought back for one, which either may write over', async () => {
  const broughtBack = (by: Laptop): Observation => {
    return { kind: 'brought-back', client: by, digest: digest('c') };
  };
  const { client: bob } = fakeLaptop('bob');
  const gaveUp: Observation = { kind: 'overwrote', client: bob, digest: digest('c') };
  const both = [wrote, broughtBack(bob), gaveUp, broughtBack(client), broughtBack(client)];
  expect(await foundBy(nothingLost, both, cluster)).toEqual([]);
});

it('the checker finds contents that a restored server lost and a laptop had', async () => {
  const all = [wrote, cached(row), committed, restoredTo(3)];
  expect(await foundBy(nothingLost, all, cluster)).toHaveLength(1);
});

it('the checker finds lost contents of the backup, wherever else they were', async () => {
  const all = [wrote, committed, restoredTo(4)];
  expect(await foundBy(nothingLost, all, cluster)).toHaveLength(1);
});

it('the checker accepts lost contents that no laptop had any more', async () => {
  const all = [wrote, cached(row), committed, cached(undefined), restoredTo(3)];
  expect(await foundBy(nothingLost, all, cluster)).toEqual([]);
});

it('the checker accepts what was brought back and lost by a restore, though an old version in the backup has the same', async () => {
  const gaveUp: Observation = { kind: 'overwrote', client, digest: digest('c') };
  const broughtBack: Observation = { kind: 'brought-back', client, digest: digest('c') };
  const again = commitOf(6, 1, {
    vnodes: [statusOf({ digest: digest('c'), commit: commitNumber(6) })],
  });
  const past = [wrote, committed, gaveUp, broughtBack, again];
  expect(await foundBy(nothingLost, [...past, restoredTo(4)], cluster)).toEqual([]);
  expect(await foundBy(nothingLost, [...past, restoredTo(6)], cluster)).toHaveLength(1);
  expect(await foundBy(nothingLost, [...past, cached(row), restoredTo(4)], cluster)).toHaveLength(
    1,
  );
  // It was in a file still when it came to another one: that one remains.
  const beside = [wrote, committed, broughtBack, again, restoredTo(4)];
  expect(await foundBy(nothingLost, beside, cluster)).toHaveLength(1);
});

it('the checker finds contents that left a cache after the laptop knew of the restore', async () => {
  const heard: Observation = {
    kind: 'saved',
    client,
    changes: [{ table: 'meta', key: 'epoch', value: 'later' }],
  };
  const before = [wrote, cached(row), committed, restoredTo(3)];
  const gone = cached(undefined);
  expect(await foundBy(nothingLost, [...before, gone, heard], cluster)).toEqual([]);
  expect(await foundBy(nothingLost, [...before, heard, gone], cluster)).toHaveLength(1);
  const kept = [wrote, cached(row), committed, restoredTo(4), gone, heard];
  expect(await foundBy(nothingLost, kept, cluster)).toHaveLength(1);
});

it('the checker accepts the loss of undurable writes in a power cut, also when it is reported late', async () => {
  const power: Observation = { kind: 'ended', who: 'ada', how: 'power' };
  const started: Observation = { kind: 'started', who: 'ada' };
  const update = { op: 'store', fid: FILE, base: 0, digest: digest('c') };
  const changes = [
    { table: 'update', key: 1, value: { seq: 1, update, state: 'logged' } },
  ] as never;
  const saved: Observation = { kind: 'saved', client, changes };
  const found = async (...observations: Observation[]): Promise<number> =>
    (await foundBy(nothingLost, observations, cluster)).length;
  expect([await found(wrote, power), await found(power, wrote)]).toEqual([0, 0]);
  expect([await found(wrote, saved, power), await found(saved, power, wrote)]).toEqual([1, 1]);
  // Its next process found it after all.
  expect(await found(power, wrote, started, saved)).toBe(1);
  expect(await found(power, started, wrote)).toBe(1);
});
