import { beforeEach, expect, it } from '@jest/globals';
import type { CacheUse } from '../../../shared/control/cache.ts';
import type { CacheSettings } from '../../../shared/model/cache.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';

const EACH = 1000;

let bench: ClientBench;
let ada: BenchClient;
let bob: BenchClient;

beforeEach(async () => {
  bench = await ClientBench.start();
  ada = await bench.join();
  bob = await bench.join();
});

const text = (name: string): string => name.repeat(EACH);
const use = (): CacheUse => bob.client.reports.cacheUse();
const kept = () =>
  Object.fromEntries(Object.entries(use().kept).map(([by, { files }]) => [by, files]));
const NONE = { toSend: 0, open: 0, pinned: 0, ahead: 0, rest: 0 };

it('the use of the cache counts each content once by what keeps it, and lists pins', async () => {
  const a = await ada.write(ROOT, 'a', text('a'));
  const b = await ada.write(ROOT, 'b', text('b'));
  const c = await ada.write(ROOT, 'c', text('c'));
  await bench.pass(100);
  expect(kept()).toEqual(NONE);
  for (const { fid } of [a, b, c]) await bob.read(fid);
  expect(kept()).toEqual({ ...NONE, rest: 3 });
  await bob.do({ op: 'pin', fid: b.fid });
  const open = { op: 'open', fid: a.fid, how: { mode: 'read' } } as const;
  await bob.do(open);
  expect(kept()).toEqual({ ...NONE, rest: 1, pinned: 1, open: 1 });
  expect(use()).toMatchObject({ files: 3, bytes: 3 * EACH });
  // Nobody has looked where it is.
  const first = { volume: 'home', path: null, isFolder: false };
  expect(use().pins).toEqual({ total: 1, first: [first] });
  await bob.do({ op: 'readdir', dir: ROOT });
  expect(use().pins.first).toEqual([{ ...first, path: 'b' }]);
});

it('the use of the cache counts uncommitted contents as to be sent', async () => {
  bob.feed({ kind: 'pause' });
  await bob.write(ROOT, 'mine', text('m'));
  expect(kept()).toEqual({ ...NONE, toSend: 1 });
  bob.feed({ kind: 'resume' });
  await bench.pass(10_000);
  expect(kept()).toEqual({ ...NONE, rest: 1 });
});

it('the use of the cache reports the present bound', async () => {
  expect(use()).toMatchObject({ disk: null, reserve: null });
  const change: Partial<CacheSettings> = { minimum: 0, maximum: 5000, reserve: 300 };
  await bob.do({ op: 'cache-settings', change });
  expect(use()).toMatchObject({ settings: change, limit: 5000, reserve: 300 });
});
