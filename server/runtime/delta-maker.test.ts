import { beforeEach, expect, it } from '@jest/globals';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryContentStore } from '../../app/lab/simulator/store/memory-content-store.ts';
import { MemoryDelta } from '../../app/lab/simulator/store/memory-delta.ts';
import { MemoryStreamFiles } from '../../app/lab/simulator/store/memory-stream-files.ts';
import { SILENT } from '../../test/support/silent-log.ts';
import { present } from '../../shared/util/assert.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import type { KnownContent } from '../core/events.ts';
import { MAX_DELTA_WORK, MAX_DEVICE_WAITING_DELTAS } from '../limits.ts';
import { DeltaMaker } from './delta-maker.ts';
import { WorkQueue } from './work-queue.ts';

const random = new SeededRandom(3);
const BASE = Uint8Array.from({ length: 4_000 }, () => random.below(256));
const KEPT = { count: 30, bytes: 1e6 };
const asker = { urgency: 1, whose: 'ada', isThere: () => true };

let disk: MemoryDisk;
let delta: MemoryDelta;
let maker: DeltaMaker;
let base: KnownContent;
let lists: number;

/** Contents that are the base but for one byte. */
async function put(bytes: Uint8Array): Promise<KnownContent> {
  disk.write('/spool', bytes);
  const digest = digestOf(bytes);
  await contents().put('/spool', digest);
  return { digest, length: bytes.length };
}

const contents = () => new MemoryContentStore(disk, '/data');
const changed = (n: number) => put(BASE.with(n, BASE[n] === 7 ? 8 : 7));

beforeEach(async () => {
  disk = new MemoryDisk();
  delta = new MemoryDelta({ disk });
  lists = 0;
  const list = delta.list.bind(delta);
  delta.list = (...given) => {
    lists += 1;
    return list(...given);
  };
  const files = new MemoryStreamFiles(disk, '/streams');
  const ports = { delta, files, contentStore: contents(), log: SILENT };
  maker = new DeltaMaker(ports, new WorkQueue(MAX_DELTA_WORK), () => Promise.resolve(false), KEPT);
  base = await put(BASE);
});

it('the delta maker serves an uploaded delta to devices with the base and makes nothing', async () => {
  const content = await changed(9);
  const [from, to] = [
    await contents().locate(base.digest),
    await contents().locate(content.digest),
  ];
  const list = await delta.list(present(from, 'it is here'), null);
  const { delta: told } = await delta.make(list, present(to, 'it is here'), '/spool/came');
  const made = present(told, 'it is worth it');
  const before = lists;
  disk.write('/spool/again', disk.read('/spool/came'));
  await maker.keep(base, content, { ...made, path: '/spool/came' });
  await maker.keep(base, content, { ...made, path: '/spool/again' });
  expect(disk.list('/spool/')).toEqual([]);
  const got = await maker.make(base, content, asker);
  expect(got).toMatchObject(made);
  expect([maker.paths, lists]).toEqual([[got?.path], before]);
  got?.giveBack(true);
  expect(maker.paths).toEqual([]);
});

it('the delta maker keeps no delta that is hardly shorter than the contents or cannot be moved', async () => {
  const content = await changed(9);
  disk.write('/spool/came', BASE);
  const digest = digestOf(BASE);
  await maker.keep(base, content, { digest, length: 3_000, path: '/spool/came' });
  await maker.keep(base, content, { digest, length: 30, path: '/spool/none' });
  expect([disk.list('/spool/'), maker.paths]).toEqual([[], []]);
});

it('the delta maker makes a delta once for all who ask and keeps it', async () => {
  const content = await changed(9);
  const [one, two] = await Promise.all([
    maker.make(base, content, asker),
    maker.make(base, content, asker),
  ]);
  expect(two?.path).toBe(one?.path);
  one?.giveBack();
  two?.giveBack();
  const later = await maker.make(base, content, asker);
  expect(later?.path).toBe(one?.path);
  expect(lists).toBe(1);
  expect(maker.inUse).toBe(1);
});

it('the delta maker remembers when a delta is not worth it, and lists a base once', async () => {
  const other = await put(Uint8Array.from({ length: 4_000 }, () => random.below(256)));
  expect(await maker.make(base, other, asker)).toBeNull();
  const make = delta.make.bind(delta);
  let made = 0;
  delta.make = (...given) => {
    made += 1;
    return make(...given);
  };
  expect(await maker.make(base, other, asker)).toBeNull();
  expect(made).toBe(0);
  (await maker.make(base, await changed(1), asker))?.giveBack();
  expect([made, lists, maker.inUse]).toEqual([1, 1, 0]);
});

it('the delta maker makes no delta when the device has enough waiting or is gone', async () => {
  const held = Promise.withResolvers<void>();
  const list = delta.list.bind(delta);
  delta.list = (...given) => held.promise.then(() => list(...given));
  const most = MAX_DELTA_WORK + MAX_DEVICE_WAITING_DELTAS;
  let isThere = true;
  const asked = [];
  for (let n = 0; n < most; n++) {
    asked.push(maker.make(base, await changed(n), { ...asker, isThere: () => isThere }));
  }
  const late = await changed(most);
  expect(await maker.make(base, late, asker)).toBeNull();
  const another = maker.make(base, late, { ...asker, whose: 'bob' });
  isThere = false;
  held.resolve();
  const made = await Promise.all(asked);
  expect(made.filter((each) => each !== null)).toHaveLength(MAX_DELTA_WORK);
  expect(await another).not.toBeNull();
});

it('the delta maker makes none for an absent device and one for the next', async () => {
  const content = await changed(9);
  expect(await maker.make(base, content, { ...asker, isThere: () => false })).toBeNull();
  expect([lists, maker.inUse]).toEqual([0, 0]);
  const next = await maker.make(base, content, asker);
  expect(next).not.toBeNull();
  next?.giveBack();
  expect([lists, maker.inUse]).toEqual([1, 0]);
});

it('the delta maker drops the least recently used delta and none in use', async () => {
  const first = await maker.make(base, await changed(0), asker);
  for (let n = 1; n <= KEPT.count; n++) {
    (await maker.make(base, await changed(n), asker))?.giveBack();
  }
  expect(maker.paths).toHaveLength(KEPT.count);
  expect(maker.paths).toContain(first?.path);
  expect(disk.list('/streams')).toEqual(maker.paths.toSorted());
  first?.giveBack();
  await maker.close();
  expect(disk.list('/streams')).toEqual([]);
});

it('the delta maker replaces a damaged delta, and one whose contents could not be read', async () => {
  const content = await changed(5);
  const one = await maker.make(base, content, asker);
  const other = await maker.make(base, content, asker);
  one?.giveBack(true);
  expect(disk.has(one?.path ?? '')).toBe(true);
  other?.giveBack();
  expect(disk.list('/streams')).toEqual([]);
  const end = disk.troubles.add((call) => (call === 'read' ? 'EIO' : null));
  expect(await maker.make(base, content, asker)).toBeNull();
  end();
  expect(await maker.make(base, content, asker)).not.toBeNull();
});
