import { beforeEach, expect, it } from '@jest/globals';
import { FILE, foundBy } from '../../../../test/support/observations.ts';
import type { RowChange } from '../../../../shared/ports/client-store.ts';
import { cacheKept } from './cache-kept.ts';
import type { Observation } from './observation.ts';

const damaged = new Set<string>();
const fetches = new Map<string, unknown>();
const inside = {
  cache: { checks: { wasDamaged: (name: string) => damaged.has(name) }, fetches },
  names: { attributes: new Map([[FILE, { version: 3 }]]) },
};
const client = { name: 'ada', frontEnd: 'none', running: true, daemon: { inside } } as never;

beforeEach(() => {
  damaged.clear();
  fetches.clear();
});

const saved = (...changes: unknown[]): Observation => ({
  kind: 'saved',
  client,
  changes: changes as RowChange[],
});
const pin = { table: 'pin', key: FILE, value: { since: 0 } };
const unpin = { table: 'pin', key: FILE, value: undefined };
const status = (version: number, digest = 'd') => ({
  table: 'status',
  key: FILE,
  value: { version, digest },
});
const content = { table: 'content', key: 'c1', value: { fid: FILE, version: 3, digest: 'd' } };
const dropped = { table: 'content', key: 'c1', value: undefined };

it('the checker finds pinned contents that are dropped', async () => {
  const found = await foundBy(cacheKept, [saved(status(3), content), saved(pin), saved(dropped)]);
  expect(found).toEqual([expect.stringContaining('ada drops c1, version 3')]);
});

it('the checker accepts dropped contents of a pinned file that has ended', async () => {
  const ended = { ...status(3), value: { ...status(3).value, links: 0 } };
  expect(await foundBy(cacheKept, [saved(status(3), content, pin), saved(ended, dropped)])).toEqual(
    [],
  );
});

it('the checker finds pinned contents dropped in the commit that makes them present', async () => {
  const before = saved(content, pin);
  const found = [expect.stringContaining('ada drops c1, version 3')];
  for (const one of [[dropped, status(3)] as const, [status(3), dropped] as const]) {
    expect(await foundBy(cacheKept, [before, saved(status(2)), saved(...one)])).toEqual(found);
  }
});

it('the checker accepts dropped contents that are unpinned, older or damaged', async () => {
  const before = [saved(status(3), content, pin)];
  expect(await foundBy(cacheKept, [...before, saved(unpin, dropped)])).toEqual([]);
  expect(await foundBy(cacheKept, [...before, saved(status(4), dropped)])).toEqual([]);
  expect(await foundBy(cacheKept, [...before, saved(status(3, 'e'), dropped)])).toEqual([]);
  // Rows are in the order of their first change: of contents that were used, before their status was.
  expect(await foundBy(cacheKept, [...before, saved(dropped, status(4))])).toEqual([]);
  expect(await foundBy(cacheKept, [...before, saved(dropped, unpin)])).toEqual([]);
  expect(await foundBy(cacheKept, [...before, saved(unpin), saved(dropped, pin)])).toEqual([]);
  damaged.add('c1');
  expect(await foundBy(cacheKept, [...before, saved(dropped)])).toEqual([]);
});

it('the checker finds contents that are fetched twice at once', async () => {
  const sending: Observation = { kind: 'sending', client, priorityClass: 'FETCH' };
  const fetching = { fid: FILE, into: 'cache', unless: null, state: 'running' };
  fetches.set('contents', { ...fetching, version: null });
  fetches.set('older', { ...fetching, version: 2 });
  expect(await foundBy(cacheKept, [sending])).toEqual([]);
  fetches.set('same', { ...fetching, version: 3 });
  expect(await foundBy(cacheKept, [sending])).toHaveLength(1);
});

it("the checker finds contents that are evicted and fetched repeatedly without a program's request", async () => {
  const at = (key: string) => ({ ...content, key });
  const rounds = (count: number): Observation[] =>
    [...Array(count).keys()].flatMap((i) => {
      const name = `c${i}`;
      return [saved(at(name)), saved({ table: 'content', key: name, value: undefined })];
    });
  expect(await foundBy(cacheKept, rounds(5))).toEqual([]);
  const found = [expect.stringContaining('ada gets version 3')];
  expect(await foundBy(cacheKept, rounds(20))).toEqual(found);
  const asked: Observation = { kind: 'asked', call: { client, method: 'lookup', given: [] } };
  expect(await foundBy(cacheKept, [...rounds(4), asked, ...rounds(5)])).toEqual([]);
  // Its use alone is written.
  const used = [...Array(20).keys()].map((use) =>
    saved({ ...content, value: { ...content.value, used: use } }),
  );
  expect(await foundBy(cacheKept, used)).toEqual([]);
});
