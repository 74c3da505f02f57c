import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RETENTION, isRetention, retained, type VersionLife } from './retention.ts';
import { wallTime } from './time.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = wallTime(20_000 * DAY + 12 * HOUR);

/** Made and ended so many hours ago; null: present. */
const life = (made: number, ended: number | null): VersionLife => ({
  made: wallTime(NOW - made * HOUR),
  ended: ended === null ? null : wallTime(NOW - ended * HOUR),
});

describe('the default retention', () => {
  const cases: Array<[string, VersionLife[], boolean[]]> = [
    ['the present version, however old', [life(10_000, null)], [true]],
    [
      'all that were replaced within a week',
      [life(1, null), life(2, 1), life(3, 2)],
      [true, true, true],
    ],
    [
      'what was made a year ago and replaced yesterday',
      [life(24, null), life(8760, 24)],
      [true, true],
    ],
    [
      'of a day more than a week ago, the last',
      [life(1, null), life(200, 190), life(201, 200), life(202, 201)],
      [true, true, false, false],
    ],
    [
      'of each day one',
      [life(1, null), life(200, 190), life(224, 200), life(248, 224)],
      [true, true, true, true],
    ],
    ['nothing that was replaced a month ago', [life(1, null), life(800, 721)], [true, false]],
    ['what was removed within a week, and no longer', [life(300, 100)], [true]],
    ['nothing that was removed a month ago', [life(900, 721)], [false]],
    ['all of a future, where the clock went back', [life(1, -50), life(2, 1)], [true, true]],
  ];
  it.each(cases)('keeps the versions: %s', (_what, versions, kept) => {
    expect(retained(versions, DEFAULT_RETENTION, NOW)).toEqual(kept);
  });
});

it('a retention of no days keeps only the present version', () => {
  const policy = { allDays: 0, dailyDays: 0 };
  expect(retained([life(1, null), life(2, 1)], policy, NOW)).toEqual([true, false]);
});

it('a longer retention keeps no less, and time keeps no more', () => {
  const hours = fc.array(fc.nat(2000), { minLength: 1, maxLength: 20 });
  const days = fc.nat(40);
  const property = fc.property(hours, days, days, fc.nat(40), (times, all, daily, later) => {
    const sorted = [...new Set(times)].sort((a, b) => a - b);
    const versions = sorted.map((made, index) => life(made + 1, sorted[index - 1] ?? null));
    const few = retained(versions, { allDays: all, dailyDays: daily }, NOW);
    const many = retained(versions, { allDays: all + 1, dailyDays: daily + 1 }, NOW);
    const then = retained(
      versions,
      { allDays: all, dailyDays: daily },
      wallTime(NOW + later * HOUR),
    );
    few.forEach((kept, index) => {
      if (kept) expect(many[index]).toBe(true);
      else expect(then[index]).toBe(false);
    });
  });
  fc.assert(property);
});

it.each([
  [{ allDays: 7, dailyDays: 30 }, true],
  [{ allDays: 0, dailyDays: 0 }, true],
  [{ allDays: -1, dailyDays: 30 }, false],
  [{ allDays: 1.5, dailyDays: 30 }, false],
  [{ allDays: 7, dailyDays: NaN }, false],
  [{ allDays: 7, dailyDays: 1e6 }, false],
])('the retention %j is possible: %s', (policy, possible) => {
  expect(isRetention(policy)).toBe(possible);
});
