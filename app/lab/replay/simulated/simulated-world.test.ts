/** Replays in the simulated world: what comes of them, not how long it takes. */
import { describe, expect, it } from '@jest/globals';
import { PRIORITY_CLASSES } from '../../../../shared/model/priority-class.ts';
import type { TraceRecord } from '../../trace/record.ts';
import type { TraceGroup } from '../../trace/trace-line.ts';
import { replay, type ReplaySettings } from '../engine/replay.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import { PlanBuilder } from '../plan/replay-plan.ts';
import { SimulatedWorld } from './simulated-world.ts';

const LINE = {
  rate: [{ atMs: 0, bytesPerSecond: 256 * 1024 }],
  roundTripMs: 20,
  queueMs: 100,
};
const SETTINGS: ReplaySettings = {
  policy: 'async',
  scheduling: 'priorities',
  lines: [LINE],
  laptops: 1,
  pace: 'real',
};

async function replayed(
  records: readonly TraceRecord[],
  settings: Partial<ReplaySettings> = {},
  seed = 1,
  groups: readonly TraceGroup[] = [],
): Promise<ReplayResult> {
  const builder = new PlanBuilder();
  for (const record of records) builder.add(record);
  const { signal } = new AbortController();
  const all = { ...SETTINGS, ...settings };
  const world = new SimulatedWorld({ seed, scheduling: all.scheduling, signal });
  try {
    const plan = builder.finish(groups);
    return await replay(world, { plan, settings: all, signal, onProgress: () => undefined });
  } finally {
    await world.close();
  }
}

const KB = 1024;

/** One process reads files that are there, another makes as many. */
const READ_BESIDE_WRITE: readonly TraceRecord[] = Array.from({ length: 4 }, (_, file) => {
  const [read, made] = [`/read/${file}`, `/made/${file}`];
  return [
    { pid: 1, program: 'read', op: 'open', path: read, size: 20 * KB, flags: ['read'] },
    { pid: 1, program: 'read', op: 'close', path: read },
    { pid: 2, program: 'write', op: 'create', path: made },
    { pid: 2, program: 'write', op: 'write', path: made, offset: 0, length: 20 * KB },
    { pid: 2, program: 'write', op: 'close', path: made },
  ] as const;
})
  .flat()
  .map((record, at) => ({ at, ...record }));
const READ_TWICE: readonly TraceRecord[] = [0, 1].flatMap((time) => [
  { at: 10 * time, pid: 1, op: 'open', path: '/d/f', size: 100 * KB, flags: ['read'] },
  { at: 10 * time + 1, pid: 1, op: 'read', path: '/d/f', offset: 0, length: 100 * KB },
  { at: 10 * time + 2, pid: 1, op: 'close', path: '/d/f' },
]);

describe('a simulated replay', () => {
  it('fetches files at their first read and only then', async () => {
    const result = await replayed(READ_TWICE);
    expect(result).toMatchObject({ steps: 6, unlike: 0, cacheHits: 1, cacheMisses: 1 });
    expect(result.classes.FETCH.downBytes).toBeGreaterThan(100 * KB);
    expect(result.lastRead).toBeGreaterThan(100 / 256);
  });

  it('fetches nothing that is cached before', async () => {
    const result = await replayed(READ_TWICE, { warm: ['/d/'] });
    expect([result.cacheHits, result.cacheMisses, result.classes.FETCH.downBytes]).toEqual([
      2, 0, 0,
    ]);
    expect(result.lastRead).toBeLessThan(LINE.roundTripMs / 1000);
  });

  it('asks the server first when the promises for cached files are gone', async () => {
    const result = await replayed(READ_TWICE, { warm: ['/d/'], expired: true });
    expect([result.cacheHits, result.cacheMisses]).toEqual([2, 0]);
    expect(result.lastRead).toBeGreaterThan(LINE.roundTripMs / 1000);
  });

  describe('a simulated replay with a file group', () => {
    const members = ['/g/a', '/g/b', '/g/c', '/g/never opened'];
    const group: TraceGroup = { name: 'g', members, sizes: members.map(() => 20 * KB) };
    /** With so much time between two of them that the next can be here. */
    const records = members.slice(0, 3).flatMap((path, file): TraceRecord[] => [
      { at: 2_000_000 * file, pid: 1, op: 'open', path, size: 20 * KB, flags: ['read'] },
      { at: 2_000_000 * file + 1, pid: 1, op: 'close', path },
    ]);

    it('has the next files before they are opened, also ones that were never opened', async () => {
      const result = await replayed(records, { prefetch: true }, 1, [group]);
      expect(result).toMatchObject({ unlike: 0, cacheHits: 2, cacheMisses: 1 });
      expect(result.classes.PREFETCH.downBytes).toBeGreaterThan(3 * 20 * KB);
    });

    it('fetches everything on demand without prefetch', async () => {
      const result = await replayed(records, { prefetch: false }, 1, [group]);
      expect(result).toMatchObject({ unlike: 0, cacheHits: 0, cacheMisses: 3 });
      expect(result.classes.PREFETCH.downBytes).toBe(0);
    });

    it('separates calls by the period in which they ended', async () => {
      const { periods, classes } = await replayed(records, { prefetch: false, marksMs: [1000] }, 1);
      expect(periods.map(({ from }) => from)).toEqual([0, 1]);
      expect(periods.map((period) => period.classes.FETCH.downBytes > 20 * KB)).toEqual([
        true,
        true,
      ]);
      const calls = periods.reduce((sum, period) => sum + period.classes.FETCH.calls, 0);
      expect(calls).toBe(classes.FETCH.calls);
    });
  });

  it('thinks as long as its processes did, or not at all', async () => {
    const records: readonly TraceRecord[] = [
      { at: 0, pid: 1, op: 'getattr', path: '/f' },
      { at: 30_000_000, pid: 1, op: 'getattr', path: '/f' },
    ];
    expect((await replayed(records)).ended).toBeGreaterThanOrEqual(30);
    expect((await replayed(records, { pace: 'max' })).ended).toBeLessThan(5);
  });

  it('performs every operation of a trace with its recorded result', async () => {
    const at = (
      (next) => () =>
        (next += 1)
    )(0);
    const told = (op: TraceRecord['op'], path: string, more: Partial<TraceRecord> = {}) => {
      return { at: at(), pid: 1, op, path, ...more } satisfies TraceRecord;
    };
    const result = await replayed([
      told('mkdir', '/new'),
      told('create', '/new/a'),
      told('write', '/new/a', { offset: 0, length: 5000 }),
      told('close', '/new/a'),
      told('rename', '/new/a', { to: '/new/b' }),
      told('link', '/new/b', { to: '/new/c' }),
      told('symlink', '/new/s', { to: 'b' }),
      told('readdir', '/new'),
      told('setattr', '/new/b'),
      told('open', '/new/b', { flags: ['write'] }),
      told('truncate', '/new/b', { length: 10 }),
      told('close', '/new/b'),
      told('truncate', '/old', { length: 3, size: 900 }),
      told('getattr', '/nowhere', { flags: ['not-found'] }),
      ...['/new/b', '/new/c', '/new/s'].map((path) => told('remove', path)),
      told('rmdir', '/new'),
    ]);
    expect(result).toMatchObject({ steps: 18, unlike: 0, firstUnlike: [], skipped: 0 });
  });

  it('reports a different result and continues', async () => {
    const result = await replayed([
      { at: 0, pid: 1, op: 'getattr', path: '/there', flags: ['not-found'] },
      { at: 1, pid: 1, op: 'create', path: '/there' },
      { at: 2, pid: 1, op: 'close', path: '/there' },
      { at: 3, pid: 1, op: 'getattr', path: '/there', flags: ['not-found'] },
      { at: 4, pid: 1, op: 'write', path: '/closed', offset: 0, length: 1 },
    ]);
    expect(result).toMatchObject({ steps: 5, unlike: 1, skipped: 1 });
    expect(result.firstUnlike).toEqual(['getattr /there: it is there']);
  });

  it('lets another laptop read what one has written and never an older version', async () => {
    const records: readonly TraceRecord[] = [
      { at: 0, pid: 1, op: 'open', path: '/f', size: 9 * KB, flags: ['write', 'truncate'] },
      { at: 1, pid: 1, op: 'write', path: '/f', offset: 0, length: 9 * KB },
      { at: 2, pid: 1, op: 'close', path: '/f' },
      { at: 5_000_000, pid: 2, op: 'open', path: '/f', flags: ['read'] },
      { at: 5_000_001, pid: 2, op: 'close', path: '/f' },
    ];
    const result = await replayed(records, { laptops: 2 });
    expect(result.byLaptop.map(({ name }) => name)).toEqual(['laptop-1', 'laptop-2']);
    expect(result).toMatchObject({ unlike: 0, cacheMisses: 1, staleReads: 0 });
  });

  it('reports how long a reader waited for updates queued on another laptop', async () => {
    const writing = [0, 1].flatMap((file): TraceRecord[] => [
      {
        at: 3 * file,
        pid: 1,
        op: 'open',
        path: `/d/${file}`,
        size: 1,
        flags: ['write', 'truncate'],
      },
      { at: 3 * file + 1, pid: 1, op: 'write', path: `/d/${file}`, offset: 0, length: 100 * KB },
      { at: 3 * file + 2, pid: 1, op: 'close', path: `/d/${file}` },
    ]);
    const result = await replayed(
      [
        ...writing,
        // By then the server has been told of the saves: a way of two names is asked for in one question.
        { at: 60_000, pid: 2, op: 'open', path: '/d/1', flags: ['read'] },
        { at: 60_001, pid: 2, op: 'close', path: '/d/1' },
        { at: 60_000_000, pid: 2, op: 'open', path: '/d/0', flags: ['read'] },
        { at: 60_000_001, pid: 2, op: 'close', path: '/d/0' },
      ],
      { laptops: 2 },
    );
    expect(result).toMatchObject({ unlike: 0, disorderedReads: 0, pulled: [{ bytes: 100 * KB }] });
    // It came over two lines, one after the other.
    expect(result.pulled[0]?.ms).toBeGreaterThan((1000 * 200) / 256);
  });

  it('repeats the same run for the same seed', async () => {
    const [one, other] = [await replayed(READ_BESIDE_WRITE), await replayed(READ_BESIDE_WRITE)];
    expect(other).toEqual(one);
    expect((await replayed(READ_BESIDE_WRITE, {}, 2)).drained).not.toBe(one.drained);
  });

  it('ends after its time with the bytes that crossed until then', async () => {
    const slow = { ...LINE, rate: [{ atMs: 0, bytesPerSecond: 4 * KB }] };
    const result = await replayed(READ_BESIDE_WRITE, { stopAtMs: 10_000, lines: [slow] });
    expect(result.drained).toBe(10);
    const [laptop] = result.byLaptop;
    for (const bytes of [laptop?.crossed.up, laptop?.crossed.down]) {
      expect(bytes).toBeGreaterThan(0.9 * 40 * KB);
      expect(bytes).toBeLessThan(1.1 * 40 * KB);
    }
  });

  it('ends when it is interrupted', async () => {
    const interrupt = new AbortController();
    const builder = new PlanBuilder();
    for (const record of READ_BESIDE_WRITE) builder.add(record);
    const { signal } = interrupt;
    const world = new SimulatedWorld({ seed: 1, scheduling: 'priorities', signal });
    const run = { plan: builder.finish([]), settings: SETTINGS, signal };
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage === 'replay') interrupt.abort();
    };
    await expect(replay(world, { ...run, onProgress })).rejects.toMatchObject({
      code: 'timed-out',
    });
    await world.close();
  });

  it.each(['sync', 'logging', 'async'] as const)(
    'commits everything with the policy %s',
    async (policy) => {
      const result = await replayed(READ_BESIDE_WRITE, { policy });
      expect(result.writtenBytes).toBe(80 * KB);
      expect(result.drained).toBeGreaterThanOrEqual(result.lastWrite);
      const stored = PRIORITY_CLASSES.reduce((sum, name) => sum + result.classes[name].upBytes, 0);
      expect(stored).toBeGreaterThan(80 * KB);
      // A program that waits for the server has waited for its line.
      if (policy === 'sync') expect(result.lastWrite).toBeGreaterThan(80 / 256);
      else expect(result.lastWrite).toBeLessThan(80 / 256);
    },
  );
});
