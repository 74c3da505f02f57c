/** What a simulated replay runs without: each baseline of the papers makes the difference that it is there for. */
import { describe, expect, it } from '@jest/globals';
import type { TraceRecord } from '../../trace/record.ts';
import { replay, type ReplaySettings } from '../engine/replay.ts';
import type { ReplayResult } from '../engine/replay-result.ts';
import { PlanBuilder } from '../plan/replay-plan.ts';
import { SimulatedWorld } from './simulated-world.ts';

const KB = 1024;
const LINE = {
  ...{ rate: [{ atMs: 0, bytesPerSecond: 256 * KB }], roundTripMs: 20, queueMs: 100 },
};
const SETTINGS: ReplaySettings = {
  ...{ policy: 'async', scheduling: 'priorities', lines: [LINE], laptops: 1, pace: 'real' },
};

async function replayed(
  records: readonly TraceRecord[],
  settings: Partial<ReplaySettings>,
): Promise<ReplayResult> {
  const builder = new PlanBuilder();
  for (const record of records) builder.add(record);
  const { signal } = new AbortController();
  const all = { ...SETTINGS, ...settings };
  const { scheduling, baseline = {} } = all;
  const world = new SimulatedWorld({ seed: 1, scheduling, baseline, signal });
  try {
    const run = { plan: builder.finish([]), settings: all, signal, onProgress: () => undefined };
    return await replay(world, run);
  } finally {
    await world.close();
  }
}

const opened = (at: number, path: string, pid = 1): TraceRecord[] => [
  { at, pid, op: 'open', path, size: 100 * KB, flags: ['read'] },
  { at: at + 1, pid, op: 'close', path },
];
const written = (at: number, path: string, size: number): TraceRecord[] => [
  { at, pid: 2, op: 'create', path },
  { at: at + 1, pid: 2, op: 'write', path, offset: 0, length: size },
  { at: at + 2, pid: 2, op: 'close', path },
];

describe('a baseline of a replay', () => {
  it('lets a read wait for the write before it where all is first in, first out', async () => {
    const records = [...written(0, '/made/large', 1024 * KB), ...opened(500_000, '/d/f')];
    const ended = async (settings: Partial<ReplaySettings>): Promise<number> =>
      (await replayed(records, settings)).lastRead;
    const uniform = { scheduling: 'uniform' } as const;
    const fifo = { ...uniform, baseline: { uniform: 'fifo' } } as const;
    const [first, turns, classes] = [await ended(fifo), await ended(uniform), await ended({})];
    // A megabyte takes four seconds to go up, and a file of 100 KB comes down in less than one.
    expect(first).toBeGreaterThan(4);
    expect(turns).toBeLessThan(2);
    expect(classes).toBeLessThan(2);
    // With classes there is nothing that is uniform.
    expect(await ended({ baseline: { uniform: 'fifo' } })).toBe(classes);
  });

  it('asks for each use of what is cached where no promise is believed', async () => {
    const records = [0, 1, 2].flatMap((time) => opened(time * 1_000_000, '/d/f'));
    const usual = await replayed(records, { warm: ['/d/'] });
    const asked = await replayed(records, {
      ...{ warm: ['/d/'], baseline: { validations: 'always' } },
    });
    expect([usual.cacheHits, asked.cacheHits]).toEqual([3, 3]);
    const asks = asked.classes.VALIDATE.calls - usual.classes.VALIDATE.calls;
    expect(asks).toBeGreaterThanOrEqual(3);
  });

  it('reads nothing ahead where read-ahead is off', async () => {
    const records = [1, 2, 3, 4, 5, 6].flatMap((file) => opened(file * 2_000_000, `/d/${file}`));
    const usual = await replayed(records, { prefetch: true });
    const off = await replayed(records, { prefetch: true, baseline: { readAhead: 'off' } });
    expect(usual.classes.PREFETCH.downBytes).toBeGreaterThan(100 * KB);
    expect(off.classes.PREFETCH.downBytes).toBe(0);
    expect([usual.cacheMisses < 6, off.cacheMisses]).toEqual([true, 6]);
  });

  it('sends what is logged after a second, or after the time that it is given', async () => {
    // What is left at the end is sent at once: the program goes on for a while.
    const look = { at: 8_000_000, pid: 2, op: 'getattr', path: '/made/small' } as const;
    const records = [...written(0, '/made/small', 10 * KB), look];
    /** In which of the periods its contents were sent. */
    const sentIn = async (settings: Partial<ReplaySettings>): Promise<number> => {
      const { periods } = await replayed(records, { marksMs: [900, 3000, 7000], ...settings });
      return periods.findIndex(({ classes: { STORE_FAST, STORE_DATA } }) => {
        return STORE_FAST.upBytes + STORE_DATA.upBytes > 10 * KB;
      });
    };
    expect(await sentIn({ policy: 'async' })).toBe(0);
    expect(await sentIn({ policy: 'logging' })).toBe(1);
    expect(await sentIn({ policy: 'logging', delayMs: 0 })).toBe(0);
    expect(await sentIn({ policy: 'async', delayMs: 5000 })).toBe(2);
  });

  it('keeps no more than its cache may have', async () => {
    const records = ['/d/a', '/d/b', '/d/a'].flatMap((path, time) =>
      opened(time * 10_000_000, path),
    );
    const usual = await replayed(records, { prefetch: false });
    const small = await replayed(records, { prefetch: false, cacheBytes: 150 * KB });
    expect([usual.cacheMisses, small.cacheMisses]).toEqual([2, 3]);
  });
});
