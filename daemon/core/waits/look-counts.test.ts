import { beforeEach, expect, it } from '@jest/globals';
import { seconds } from '../../../shared/model/time.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import { lookCounts } from './look-counts.ts';

let bench: ClientBench;
let ada: BenchClient;
let bob: BenchClient;

beforeEach(async () => {
  bench = await ClientBench.start();
  ada = await bench.join();
  bob = await bench.join();
});

/** What bob has looked at since the last time, by what and how it ended. */
let before = new Map<string, number>();
function looked(): Record<string, number> {
  const now = lookCounts(bob.client.inside.looks.values);
  const all = new Map(now.map(({ by, of, end, count }) => [`${by} ${of} ${end}`, count]));
  const since = [...all].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
  before = all;
  return Object.fromEntries(since.filter(([, count]) => count > 0));
}

beforeEach(() => {
  before = new Map();
});

it('a name asks the server once, and a name that is not there never again', async () => {
  await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  await bob.do({ op: 'lookup', dir: ROOT, name: 'f' });
  expect(looked()).toEqual({ 'folder name asked': 1 });
  await bob.do({ op: 'lookup', dir: ROOT, name: 'f' });
  await bob.try({ op: 'lookup', dir: ROOT, name: 'no such' });
  expect(looked()).toEqual({ 'folder name here': 2 });
});

it('contents are fetched at the first open and are here at the second', async () => {
  const { fid } = await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  await bob.read(fid);
  expect(looked()).toEqual({ 'folder open fetched': 1 });
  await bob.read(fid);
  await bob.list();
  await bob.do({ op: 'getattr', fid });
  expect(looked()).toEqual({
    'folder open here': 1,
    'folder listing asked': 1,
    'folder status here': 1,
  });
});

it('an open of what another laptop has changed is a miss again', async () => {
  const { fid } = await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  await bob.read(fid);
  looked();
  await ada.store(fid, 'two');
  await bench.pass(100);
  expect(await bob.read(fid)).toBe('two');
  expect(looked()).toEqual({ 'folder open fetched': 1 });
});

it('a look that fails since the server is away is in vain', async () => {
  const { fid } = await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  bob.cutOff();
  await bench.pass(60_000);
  bob.call({ op: 'open', fid, how: { mode: 'read' } });
  await bench.pass(seconds(10));
  expect(looked()).toEqual({ 'folder open in-vain': 1 });
});

it('a look of a program counts apart from one of the folder', async () => {
  bob.feed({ kind: 'call', call: bench.id(), what: { op: 'getattr', fid: ROOT }, byProgram: true });
  await bench.settle();
  expect(looked()).toEqual({ 'program status asked': 1 });
});

it('a call that is taken back, and one that changes something, count as no look', async () => {
  await ada.write(ROOT, 'f', 'one');
  await bench.pass(100);
  const call = bob.call({ op: 'lookup', dir: ROOT, name: 'f' });
  bob.feed({ kind: 'cancel', call });
  await bench.settle();
  await bob.do({ op: 'create', dir: ROOT, name: 'g', options: { mode: 0o644 } });
  const { fid } = await bob.do({ op: 'lookup', dir: ROOT, name: 'g' });
  looked();
  await bob.store(fid, 'mine');
  expect(looked()).toEqual({});
});
