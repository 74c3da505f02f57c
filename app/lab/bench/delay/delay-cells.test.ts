import { describe, expect, it } from '@jest/globals';
import { carried, cellsOf } from './delay-cells.ts';

const SETTINGS = {
  rates: [64_000, 1_024_000],
  queuesMs: [50, 1000],
  roundTripsMs: [0, 50, 200],
  direction: 'up',
  changing: false,
  ms: 9000,
} as const;

describe('the links of the bench', () => {
  it('combine each rate with each queue and round trip', () => {
    const cells = cellsOf(SETTINGS);
    expect(cells).toHaveLength(12);
    expect(cells[1]).toEqual({
      name: '',
      direction: 'up',
      rate: [{ atMs: 0, bytesPerSecond: 64_000 }],
      queueMs: 50,
      roundTripMs: 50,
      loss: 0,
    });
  });

  it('include changing and lossy links on request', () => {
    const [falls, loses] = cellsOf({ ...SETTINGS, changing: true }).slice(12);
    expect(falls?.rate).toEqual([
      { atMs: 0, bytesPerSecond: 1_024_000 },
      { atMs: 3000, bytesPerSecond: 64_000 },
      { atMs: 6000, bytesPerSecond: 1_024_000 },
    ]);
    expect(loses).toMatchObject({ loss: 0.01, rate: [{ bytesPerSecond: 1_024_000 }] });
  });
});

describe('the capacity of a link', () => {
  const steps = [
    { atMs: 0, bytesPerSecond: 1000 },
    { atMs: 2000, bytesPerSecond: 0 },
    { atMs: 3000, bytesPerSecond: 500 },
  ];
  it.each([
    [0, 1000, 1000],
    [1500, 2500, 500],
    [2000, 3000, 0],
    [1000, 5000, 2000],
    [10_000, 20_000, 5000],
  ])('is counted from %i ms to %i ms: %i bytes', (from, until, bytes) => {
    expect(carried(steps, from, until)).toBe(bytes);
  });
});
