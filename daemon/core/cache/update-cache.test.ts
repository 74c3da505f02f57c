import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CacheChange, CacheSettings } from '../../../shared/model/cache.ts';
import type { Attributes, OpenFile } from '../../../shared/ports/file-system.ts';
import { ClientBench, ROOT, type BenchClient } from '../../../test/support/client-bench.ts';
import type { CacheOutcome } from '../calls/cache-calls.ts';

/** Bytes of each file. */
const EACH = 1000;

let bench: ClientBench;
let ada: BenchClient;
let bob: BenchClient;

beforeEach(async () => {
  bench = await ClientBench.start();
  ada = await bench.join();
  bob = await bench.join();
});

const text = (name: string): string => name.repeat(EACH / name.length);

async function written(...names: string[]): Promise<Attributes[]> {
  const made: Attributes[] = [];
  for (const name of names) made.push(await ada.write(ROOT, name, text(name)));
  await bench.pass(100);
  return made;
}

const bound = (change: CacheChange) => bob.do<CacheSettings>({ op: 'cache-settings', change });

async function here(): Promise<string[]> {
  const listed = await bob.do<Array<{ name: string; attributes: Attributes }>>({
    op: 'readdir',
    dir: ROOT,
  });
  return listed.filter(({ attributes }) => attributes.cached).map(({ name }) => name);
}

async function opened(fid: Attributes['fid']): Promise<number> {
  const how = { mode: 'read' } as const;
  return (await bob.do<{ handle: number }>({ op: 'open', fid, how })).handle;
}

describe('a full file cache', () => {
  it('evicts the least recently used contents', async () => {
    const files = await written('a', 'b', 'c', 'd');
    for (const { fid } of files) await bob.read(fid);
    await bob.read(files[0]?.fid as never);
    await bound({ minimum: 0, maximum: 2 * EACH });
    // It goes somewhat below, and what was fetched last stays.
    expect(await here()).toEqual(['d']);
    await bob.read(files[0]?.fid as never);
    expect(await here()).toEqual(['a', 'd']);
  });

  it('knows the order of uses after a restart', async () => {
    const files = await written('a', 'b', 'c', 'd');
    for (const { fid } of files) await bob.read(fid);
    await bob.read(files[0]?.fid as never);
    bob.feed({ kind: 'ending' });
    bob.crash();
    bob.begin();
    await bench.pass(100);
    await bound({ minimum: 0, maximum: 3 * EACH });
    expect(await here()).toEqual(['a', 'd']);
  });

  it('keeps contents that are pinned, open or not sent yet', async () => {
    const files = await written('a', 'b', 'c', 'd');
    for (const { fid } of files) await bob.read(fid);
    await bob.do<CacheOutcome>({ op: 'pin', fid: files[0]?.fid as never });
    const handle = await opened(files[1]?.fid as never);
    await here();
    bob.cutOff();
    await bench.pass(2000);
    await bob.store(files[2]?.fid as never, text('C'));
    await bound({ minimum: 0, maximum: 0 });
    expect(await here()).toEqual(['a', 'b', 'c', 'd']);
    bob.online = true;
    await bench.pass(60_000);
    await bob.do({ op: 'close', handle, changed: null });
    // What was fetched last stays until the next one was.
    expect(await here()).toEqual(['a', 'd']);
    await bob.do<CacheOutcome>({ op: 'unpin', fid: files[0]?.fid as never });
    expect(await here()).toEqual(['d']);
  });

  it('keeps the contents of a pinned folder, also later ones', async () => {
    const options = { mode: 0o755 };
    const { fid: dir } = await ada.do({ op: 'mkdir', dir: ROOT, name: 'dir', options });
    const inside = await ada.write(dir, 'inside', text('in'));
    const [beside] = await written('x');
    await bob.read(inside.fid);
    await bob.list(dir);
    await bob.do<CacheOutcome>({ op: 'pin', fid: dir });
    await bob.read(beside?.fid as never);
    await written('y').then(([last]) => bob.read(last?.fid as never));
    await bound({ minimum: 0, maximum: 0 });
    expect(await here()).toEqual(['dir', 'y']);
    const { cached, pinned } = await bob.do({ op: 'getattr', fid: inside.fid });
    expect({ cached, pinned }).toEqual({ cached: true, pinned: true });
    const kept = await bob.do<CacheOutcome>({ op: 'evict', fid: inside.fid });
    expect(kept).toMatchObject({ kind: 'kept', kept: '/dir is pinned, with all that is in it' });
  });

  it('shrinks when others fill the disk and never uses the reserve', async () => {
    const files = await written('a', 'b', 'c', 'd');
    for (const { fid } of files.slice(0, 3)) await bob.read(fid);
    await bound({ minimum: 0, reserve: 2 * EACH });
    bob.feed({ kind: 'disk', room: { free: 2 * EACH, total: 100 * EACH } });
    expect(await here()).toEqual(['b', 'c']);
    bob.feed({ kind: 'disk', room: { free: 1.5 * EACH, total: 100 * EACH } });
    await bob.read(files[3]?.fid as never);
    expect(await here()).toEqual(['d']);
  });

  it('serves reads without keeping them when others have used up the reserve', async () => {
    const files = await written('a', 'b');
    const [a, b] = files.map(({ fid }) => fid as never);
    await bound({ minimum: 0, reserve: 3 * EACH });
    bob.feed({ kind: 'disk', room: { free: 2 * EACH, total: 100 * EACH } });
    const how = { mode: 'read' } as const;
    const { handle } = await bob.do<OpenFile>({ op: 'open', fid: a as never, how });
    expect(await here()).toEqual(['a']);
    await bob.do({ op: 'close', handle, changed: null });
    expect(await here()).toEqual([]);
    // What nobody waits to read is not fetched for that.
    const prefetched = await bob.try({ op: 'prefetch', fid: a as never });
    expect(prefetched).toMatchObject({ ok: false, code: 'disk-full' });
    // Where there is no room for it at all, it is said.
    bob.feed({ kind: 'disk', room: { free: EACH / 2, total: 100 * EACH } });
    const refused = await bob.try({ op: 'open', fid: b as never, how });
    expect(refused).toMatchObject({ ok: false, code: 'disk-full' });
    expect(await here()).toEqual([]);
  });

  it('evicts nothing for contents that would not fit anyway', async () => {
    const [a] = await written('a');
    const big = await ada.write(ROOT, 'big', 'big!'.repeat(EACH));
    await bench.pass(100);
    await bob.read(a?.fid as never);
    await bound({ minimum: 0, reserve: 2 * EACH });
    bob.feed({ kind: 'disk', room: { free: 2 * EACH, total: 100 * EACH } });
    const prefetched = await bob.try({ op: 'prefetch', fid: big.fid });
    expect(prefetched).toMatchObject({ ok: false, code: 'disk-full' });
    expect(await here()).toEqual(['a']);
  });

  it('keeps the base of a write and evicts other contents for it', async () => {
    const files = await written('a', 'b');
    const [a, b] = files.map(({ fid }) => fid as never);
    for (const fid of [a, b]) await bob.read(fid as never);
    await bound({ minimum: 0, reserve: 2 * EACH });
    bob.feed({ kind: 'disk', room: { free: 2 * EACH, total: 100 * EACH } });
    const how = { mode: 'write', truncate: false } as const;
    const { handle } = await bob.do<OpenFile>({ op: 'open', fid: a as never, how });
    expect(await here()).toEqual(['a']);
    await bob.do({ op: 'close', handle, changed: null });
    // Alone it is no room: it would be fetched again, and go again, without end.
    bob.feed({ kind: 'disk', room: { free: 2 * EACH, total: 100 * EACH } });
    const refused = await bob.try({ op: 'open', fid: a as never, how });
    expect(refused).toMatchObject({ ok: false, code: 'disk-full' });
    expect(await here()).toEqual(['a']);
  });

  it('lets a write wait for the queue instead of using the reserve', async () => {
    const [file] = await written('a');
    await bob.read(file?.fid as never);
    await bound({ reserve: 2 * EACH });
    bob.cutOff();
    await bench.pass(2000);
    await bob.store(file?.fid as never, text('A'));
    bob.feed({ kind: 'disk', room: { free: EACH, total: 100 * EACH } });
    const how = { mode: 'write', truncate: true } as const;
    const waiting = bob.call({ op: 'open', fid: file?.fid as never, how });
    await bench.settle();
    expect(bob.answers.get(waiting)).toBeUndefined();
    bob.feed({ kind: 'disk', room: { free: 3 * EACH, total: 100 * EACH } });
    bob.online = true;
    await bench.pass(60_000);
    expect(bob.answers.get(waiting)).toBeDefined();
  });
});

describe('a request about the cache', () => {
  it('is refused when it makes no sense, and kept otherwise', async () => {
    const wrong = await bob.try({ op: 'cache-settings', change: { minimum: 2e12 } });
    expect(wrong).toMatchObject({ ok: false, code: 'usage' });
    const set = await bound({ minimum: 5, maximum: 10, prefetch: false });
    bob.crash();
    bob.begin();
    await bench.pass(100);
    expect(await bound({})).toEqual(set);
    expect(set).toEqual({
      ...{ minimum: 5, maximum: 10, reserve: null, prefetch: false, isBounded: true },
    });
  });

  it('is refused by the name of the bound that it changes', async () => {
    await bound({ minimum: 5, maximum: 10 });
    for (const [change, line] of [
      [{ maximum: 4 }, /^cache\.maximum: 4 B are less than cache\.minimum, which is 5 B; /],
      [{ minimum: 11 }, /^cache\.minimum: 11 B are more than cache\.maximum, which is 10 B; /],
      [{ minimum: 9, maximum: 8 }, /^cache\.minimum: 9 B are more than /],
    ] as const) {
      const wrong = await bob.try({ op: 'cache-settings', change });
      expect(wrong).toMatchObject({ code: 'usage', message: expect.stringMatching(line) });
    }
  });

  it('can be withdrawn, also after a restart, and leaves the defaults', async () => {
    const before = await bound({});
    expect(before.isBounded).toBe(false);
    await bound({ minimum: 5, maximum: 10, reserve: 3 });
    expect(await bound({ maximum: null })).toMatchObject({ minimum: 5, isBounded: false });
    expect(await bound({ minimum: null, reserve: null })).toEqual(before);
    bob.crash();
    bob.begin();
    await bench.pass(100);
    expect(await bound({})).toEqual(before);
  });

  it('pins a file through a rename and a replacement', async () => {
    const [doc, temporary] = await written('doc', 'tmp');
    await bob.do<CacheOutcome>({ op: 'pin', fid: doc?.fid as never });
    const from = { dir: ROOT, name: 'tmp' };
    await bob.do({ op: 'rename', from, to: { dir: ROOT, name: 'doc' }, options: {} });
    expect(await bob.do({ op: 'getattr', fid: temporary?.fid as never })).toMatchObject({
      pinned: true,
    });
    expect(bob.client.inside.cache.pins.all()).toEqual([temporary?.fid]);
    await bench.pass(100);
    await bob.do({ op: 'remove', place: { dir: ROOT, name: 'doc' }, options: {} });
    await bench.pass(100);
    expect(bob.client.inside.cache.pins.size).toBe(0);
  });

  it('fetches a file once and evicts it again', async () => {
    const [file] = await written('a');
    const fid = file?.fid as never;
    await bob.do<CacheOutcome>({ op: 'prefetch', fid });
    expect(await here()).toEqual(['a']);
    expect(await bob.do<CacheOutcome>({ op: 'evict', fid })).toMatchObject({ bytes: EACH });
    expect(await here()).toEqual([]);
    expect(await bob.do<CacheOutcome>({ op: 'evict', fid })).toMatchObject({ kind: 'unchanged' });
  });
});
