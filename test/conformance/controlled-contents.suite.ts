/** The queue, the fetches and the cache of a ControlledDaemon, and the calls that change them (shared/ports/controlled.ts). */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { QueueAct, QueueTarget } from '../../shared/control/queue.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { CONTENTS_ACTS, type ContentsAct } from '../../shared/model/cache.ts';
import { ControlledBench, type ControlledHarness } from './controlled-harness.ts';

let bench: ControlledBench;

export function controlledContentsSuite(
  name: string,
  start: () => Promise<ControlledHarness>,
): void {
  describe(`${name}, as a ControlledDaemon`, () => {
    beforeEach(async () => {
      bench = await ControlledBench.begin(await start());
    });

    afterEach(() => bench.harness.end());

    describe('its queue', queueClauses);
    describe('an order to the queue', orderClauses);
    describe('what is fetched', fetchClauses);
    describe('what is kept here', cacheClauses);
  });
}

function queueClauses(): void {
  it('the queue is empty at first', async () => {
    await bench.flush();
    const report = await bench.run(bench.daemon.queue({ most: 5 }));
    expect(report).toMatchObject({ total: 0, entries: [], why: null, next: null });
  });

  it('the queue lists waiting updates with their reasons and dependencies', async () => {
    await bench.enqueue();
    const { total, entries, why, next } = await bench.run(bench.daemon.queue({ most: 100 }));
    expect({ total, why, next }).toEqual({ total: 5, why: 'paused', next: null });
    const [docs, a] = ['mkdir docs', 'create docs/a'].map((told) =>
      entries.find(({ kind, path }) => `${kind} ${path}` === told),
    );
    const store = entries.find(({ kind, path }) => kind === 'store' && path === 'docs/a');
    const common = { volume: bench.volume.name, turn: null, reason: null, until: null };
    expect(docs).toMatchObject({ ...common, state: 'ready', bytes: 0, waitsFor: [] });
    expect(a).toMatchObject({ ...common, state: 'waiting', waitsFor: [docs?.number] });
    expect(store).toMatchObject({ ...common, bytes: 4, sentBytes: 0, seconds: null });
    expect(store?.waitsFor).toContain(a?.number);
  });

  it('the queue reports on one file, and on a folder with everything in it', async () => {
    await bench.enqueue();
    const at = (...path: string[]) => bench.run(bench.daemon.queueAt(bench.volume.name, path));
    const queued = { sentBytes: 0, kept: null, moving: 'queued' };
    expect(await at('docs', 'a')).toEqual({ ...queued, updates: 2, bytes: 4 });
    expect(await at('docs')).toEqual({ ...queued, updates: 3, bytes: 4 });
    expect(await at()).toEqual({ ...queued, updates: 5, bytes: 17 });
    expect(await at('none')).toEqual({ ...queued, updates: 0, bytes: 0, moving: null });
    await bench.refuses(bench.daemon.queueAt('none', []), 'no-such-volume');
    const target = { volume: bench.volume.name, path: ['b'] };
    const order = { act: 'cancel', target, withDependents: true } as const;
    await bench.run(bench.daemon.orderQueue(order));
    expect(await at('b')).toMatchObject({ updates: 2, kept: { state: 'cancelled' } });
    expect((await at()).kept).toMatchObject({ state: 'cancelled' });
  });

  it('the queue comes in pages, each entry once', async () => {
    await bench.enqueue();
    const all = await bench.queue();
    const met: unknown[] = [];
    let page = await bench.run(bench.daemon.queue({ most: 2 }));
    for (;;) {
      expect(page.total).toBe(5);
      expect(page.entries.length).toBeLessThanOrEqual(2);
      met.push(...page.entries);
      const { next = null, listing } = page;
      if (next === null) break;
      page = await bench.run(bench.daemon.queue({ most: 2, from: next, listing }));
      expect(page.listing).toBe(listing);
    }
    expect(met).toEqual(all);
  });

  it.each([
    ['data', ['store', 'store']],
    ['metadata', ['mkdir', 'create', 'create']],
  ] as const)('the queue can be filtered by kind: %s', async (of, kinds) => {
    await bench.enqueue();
    const { total, entries } = await bench.run(bench.daemon.queue({ most: 100, of }));
    expect(total).toBe(kinds.length);
    expect(entries.map(({ kind }) => kind).sort()).toEqual([...kinds].sort());
  });

  it('the queue keeps the order in which a listing began', async () => {
    await bench.enqueue();
    const before = await bench.queue();
    const { listing, next } = await bench.run(bench.daemon.queue({ most: 2 }));
    const last = before.at(-1)?.number ?? 0;
    const order = { act: 'now', target: { number: last }, withDependents: false } as const;
    await bench.run(bench.daemon.orderQueue(order));
    const rest = { most: 100, from: next ?? undefined, listing };
    const numbers = (await bench.queue(rest)).map(({ number }) => number);
    expect(numbers).toEqual(before.slice(2).map(({ number }) => number));
    const now = (await bench.queue()).map(({ number }) => number);
    expect(now).not.toEqual(before.map(({ number }) => number));
  });

  it('the queue leaves updates out of a listing that were sent since', async () => {
    await bench.enqueue();
    const { listing } = await bench.run(bench.daemon.queue({ most: 2 }));
    bench.daemon.resume();
    await bench.flush();
    const rest = await bench.run(bench.daemon.queue({ most: 100, from: 2, listing }));
    expect(rest).toMatchObject({ total: 5, entries: [], next: null });
  });

  it('the queue refuses a listing that is not kept any more', async () => {
    await bench.refuses(bench.daemon.queue({ most: 5, listing: 4 }), 'listing-gone');
  });
}

function orderClauses(): void {
  const at = (...path: string[]): QueueTarget => ({ volume: bench.volume.name, path });
  const order = (act: QueueAct, target: QueueTarget, withDependents = false) =>
    bench.run(bench.daemon.orderQueue({ act, target, withDependents }));
  const turns = async (): Promise<string[]> =>
    (await bench.queue()).flatMap(({ kind, path, turn }) =>
      turn === null ? [] : [`${kind} ${path} ${turn}`],
    );

  it('an order about an update that is not queued is refused and changes nothing', async () => {
    await bench.enqueue();
    const before = await bench.queue();
    for (const act of ['now', 'later', 'cancel'] as const) {
      const ask = (target: QueueTarget) =>
        bench.daemon.orderQueue({ act, target, withDependents: false });
      await bench.refuses(ask({ number: 999_999 }), 'not-queued');
      await bench.refuses(ask(at('none')), 'not-queued');
      await bench.refuses(ask({ volume: 'none', path: ['b'] }), 'no-such-volume');
    }
    expect(await bench.queue()).toEqual(before);
  });

  it('the order "now" sends an update first, with what it depends on', async () => {
    await bench.enqueue();
    const store = (await bench.queue()).find(
      ({ kind, path }) => kind === 'store' && path === 'docs/a',
    );
    const outcome = await order('now', { number: store?.number ?? 0 });
    expect(outcome).toEqual({ updates: 1, others: 2, underWay: 0, why: 'paused' });
    const told = (await turns()).sort();
    expect(told).toEqual(['create docs/a now', 'mkdir docs now', 'store docs/a now']);
    const metadata = await bench.queue({ of: 'metadata' });
    expect(metadata.map(({ path }) => path)).toEqual(['docs', 'docs/a', 'b']);
  });

  it('the order "later" sends an update after all others', async () => {
    await bench.enqueue();
    const outcome = await order('later', at('docs'));
    expect(outcome).toEqual({ updates: 3, others: 0, underWay: 0, why: 'paused' });
    const metadata = await bench.queue({ of: 'metadata' });
    expect(metadata.map(({ path }) => path)).toEqual(['b', 'docs', 'docs/a']);
    expect((await turns()).sort()).toEqual([
      'create docs/a later',
      'mkdir docs later',
      'store docs/a later',
    ]);
  });

  it('the order "cancel" keeps an update from being sent, and the others are sent', async () => {
    await bench.enqueue();
    const outcome = await order('cancel', at('docs'));
    expect(outcome).toEqual({ updates: 3, others: 0, underWay: 0, why: 'paused' });
    bench.daemon.resume();
    await bench.harness.rest();
    expect((await bench.told()).sort()).toEqual([
      'create docs/a cancelled',
      'mkdir docs cancelled',
      'store docs/a cancelled',
    ]);
    expect((await order('later', at('docs'))).updates).toBe(3);
    await bench.flush();
    expect(await bench.told()).toEqual([]);
  });

  it('the order "cancel" includes dependent updates only on request', async () => {
    await bench.enqueue();
    const before = await bench.queue();
    const docs = { number: before.find(({ kind }) => kind === 'mkdir')?.number ?? 0 };
    const ask = { act: 'cancel', target: docs, withDependents: false } as const;
    await bench.refuses(bench.daemon.orderQueue(ask), 'update-needed');
    expect(await bench.queue()).toEqual(before);
    expect(await order('cancel', docs, true)).toMatchObject({ updates: 1, others: 2 });
    const states = (await bench.queue()).filter(({ state }) => state === 'cancelled');
    expect(states).toHaveLength(3);
    expect(await order('now', docs)).toMatchObject({ updates: 1, others: 0 });
  });

  it('orders to the queue survive a restart', async () => {
    if (bench.harness.restart === null) return;
    await bench.enqueue();
    await order('cancel', at('b'));
    await order('later', at('docs'));
    const before = (await bench.queue()).map(({ number, state, turn }) => ({
      number,
      state,
      turn,
    }));
    await bench.harness.restart();
    const after = (await bench.queue()).map(({ number, state, turn }) => ({ number, state, turn }));
    expect(after).toEqual(before);
  });
}

function fetchClauses(): void {
  it('the list of fetches is empty at first', () => {
    expect(bench.daemon.fetches(10)).toEqual({ total: 0, entries: [] });
  });

  it('the list of fetches shows as many as requested while they arrive', async () => {
    const fids: Fid[] = [];
    for (const name of ['a', 'b', 'c']) fids.push(await bench.theirs(name, 'text'));
    const { arrive } = await bench.harness.fetch(fids);
    const { total, entries } = bench.daemon.fetches(2);
    expect(total).toBe(3);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ volume: bench.volume.name, path: 'a', demanded: true });
    await arrive();
    expect(bench.daemon.fetches(10)).toEqual({ total: 0, entries: [] });
  });

  it('files that are opened together repeatedly are suggested as a group, the most frequent first', async () => {
    expect(bench.daemon.suggestedGroups()).toEqual([]);
    const files = new Map<string, Fid>();
    for (const name of [...'abcdef']) files.set(name, (await bench.file(name, 'text')).fid);
    await bench.flush();
    const use = (names: string) =>
      bench.harness.useTogether([...names].map((name) => files.get(name) ?? bench.root));
    await use('abc');
    for (let times = 0; times < 5; times++) await use('def');
    for (let times = 0; times < 3; times++) await use('abc');
    const groups = bench.daemon.suggestedGroups();
    expect(groups.map(({ volume, files: of }) => [volume, ...of.map(({ path }) => path)])).toEqual([
      [bench.volume.name, '/d', '/e', '/f'],
      [bench.volume.name, '/a', '/b', '/c'],
    ]);
    expect(groups[0]?.files[0]?.fid).toBe(files.get('d'));
    expect(groups[0]?.times).toBeGreaterThan(groups[1]?.times ?? Infinity);
  });
}

function cacheClauses(): void {
  const act = (what: ContentsAct, ...path: string[]) =>
    bench.run(bench.daemon.cache.act(what, bench.volume.name, path));
  const report = { files: 0, bytes: 0, unchanged: 0, failed: 0, exceptions: [] };
  const isHere = async (fid: Fid) => (await bench.look(fid)).cached;

  it.each(CONTENTS_ACTS)(
    'the request to %s a missing file is refused and does nothing',
    async (what) => {
      await bench.file('f', 'text');
      const { cache } = bench.daemon;
      await bench.refuses(cache.act(what, 'none', ['f']), 'no-such-volume');
      await bench.refuses(cache.act(what, bench.volume.name, ['none']), 'not-found');
      await bench.refuses(cache.act(what, bench.volume.name, ['f', 'g']), 'not-a-directory');
      expect(cache.use().pins).toEqual({ total: 0, first: [] });
    },
  );

  it('a cached file goes when it is evicted and returns when it is fetched', async () => {
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    await bench.harness.rest();
    expect(await isHere(fid)).toBe(true);
    expect(bench.daemon.cache.use()).toMatchObject({ files: 1, bytes: 4 });
    expect(await act('prefetch', 'f')).toEqual({ ...report, unchanged: 1 });
    expect(await act('evict', 'f')).toEqual({ ...report, files: 1, bytes: 4 });
    expect(await isHere(fid)).toBe(false);
    expect(bench.daemon.cache.use()).toMatchObject({ files: 0, bytes: 0 });
    expect(await act('evict', 'f')).toEqual({ ...report, unchanged: 1 });
    expect(await act('prefetch', 'f')).toEqual({ ...report, files: 1, bytes: 4 });
    expect(await isHere(fid)).toBe(true);
  });

  it('a demand for a file waits for its contents, and a folder cannot be demanded', async () => {
    const { fid } = await bench.file('f', 'text');
    const dir = await bench.folder('d');
    await bench.flush();
    await bench.harness.rest();
    expect(await act('demand', 'f')).toEqual({ ...report, unchanged: 1 });
    await act('evict', 'f');
    expect(await act('demand', 'f')).toEqual({ ...report, files: 1, bytes: 4 });
    expect(await isHere(fid)).toBe(true);
    const { cache } = bench.daemon;
    await bench.refuses(cache.act('demand', bench.volume.name, ['d']), 'is-a-directory');
    await bench.file('g', 'text', dir.fid);
    await bench.refuses(cache.act('demand', bench.volume.name, []), 'is-a-directory');
  });

  it('a cached file stays when the server lacks it or a program has it open', async () => {
    const { fid } = await bench.file('f', 'text');
    await bench.flush();
    await bench.harness.rest();
    const { handle } = await bench.run(bench.daemon.fileSystem.open(fid, { mode: 'read' }));
    const open = await act('evict', 'f');
    expect(open).toMatchObject({ ...report, failed: 1, exceptions: [{ path: '/f' }] });
    await bench.run(bench.daemon.fileSystem.close(handle, null));
    bench.daemon.pause();
    await bench.store(fid, 'more text');
    const unsent = await act('evict', 'f');
    expect(unsent).toMatchObject({ ...report, failed: 1, exceptions: [{ path: '/f' }] });
    expect(bench.daemon.cache.use().kept.toSend).toEqual({ files: 1, bytes: 9 });
  });

  it('a cached file stays when it or its folder is pinned, and is listed as pinned', async () => {
    const dir = await bench.folder('d');
    const { fid } = await bench.file('f', 'text', dir.fid);
    await bench.flush();
    expect(await act('pin', 'd')).toEqual({ ...report, files: 1, bytes: 4 });
    const { name: volume } = bench.volume;
    const first = [{ volume, path: 'd', isFolder: true }];
    expect(bench.daemon.cache.use().pins).toEqual({ total: 1, first });
    expect(await bench.look(fid)).toMatchObject({ pinned: true });
    const kept = { ...report, failed: 1, exceptions: [{ path: '/d/f' }] };
    expect(await act('evict', 'd')).toMatchObject(kept);
    expect(await act('unpin', 'd', 'f')).toMatchObject(kept);
    await act('pin', 'd', 'f');
    expect(bench.daemon.cache.use().pins.total).toBe(2);
    expect(await act('unpin', 'd')).toEqual({ ...report, files: 2 });
    expect(bench.daemon.cache.use().pins).toEqual({ total: 0, first: [] });
    expect(await act('unpin', 'd')).toEqual({ ...report, unchanged: 2 });
    expect(await act('evict', 'd')).toEqual({ ...report, files: 1, bytes: 4 });
  });

  it('a missing file is fetched when it is pinned, and is named when the server is away', async () => {
    const fid = await bench.theirs('f', 'text');
    expect(await isHere(fid)).toBe(false);
    await bench.harness.connect(false);
    const away = await act('prefetch', 'f');
    expect(away).toMatchObject({ ...report, failed: 1, exceptions: [{ path: '/f' }] });
    await bench.harness.connect(true);
    expect(await act('pin', 'f')).toEqual({ ...report, files: 1, bytes: 4 });
    expect(await isHere(fid)).toBe(true);
  });
}
