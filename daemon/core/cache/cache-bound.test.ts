import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_CACHE } from '../../../shared/model/cache.ts';
import { cacheLimit, reserveOf } from './cache-bound.ts';

const MB = 1_000_000;
const SETTINGS = { ...DEFAULT_CACHE, minimum: 100 * MB, maximum: 1000 * MB, reserve: 50 * MB };
const disk = (free: number) => ({ free: free * MB, total: 10_000 * MB });

describe('the bound of the file cache', () => {
  it.each([
    ['it is the maximum before the disk is known', null, 0, 1000],
    ['it is the maximum on an idle disk', disk(9000), 0, 1000],
    ['it is half of what is free and cached', disk(800), 0, 400],
    ['it is the same whatever part of that is cached', disk(500), 300, 400],
    ['it shrinks when others fill the disk', disk(100), 300, 200],
    ['it shrinks down to the minimum', disk(20), 150, 100],
    ['it shrinks below that for the reserve', disk(10), 100, 60],
    ['it is zero when others took the reserve', disk(0), 40, 0],
  ])('depends on the disk: %s', (_, room, cached, expected) => {
    expect(cacheLimit(SETTINGS, room, cached * MB)).toBe(expected * MB);
  });

  it('never exceeds the reserve or the maximum', () => {
    const amount = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(amount, amount, amount, amount, (free, cached, reserve, maximum) => {
        const settings = { ...DEFAULT_CACHE, minimum: Math.min(500, maximum), maximum, reserve };
        const limit = cacheLimit(settings, { free, total: 40_000 }, cached);
        expect(limit).toBeGreaterThanOrEqual(0);
        expect(limit).toBeLessThanOrEqual(maximum);
        if (limit > 0) expect(cached + free - limit).toBeGreaterThanOrEqual(reserve);
      }),
    );
  });

  it('has a reserve by the size of the disk as a default', () => {
    expect(reserveOf(DEFAULT_CACHE, { free: 0, total: 2000 })).toBe(100);
    expect(reserveOf(DEFAULT_CACHE, { free: 0, total: 1e15 })).toBe(1024 ** 3);
  });
});
