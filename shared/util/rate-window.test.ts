import { describe, expect, it } from '@jest/globals';
import { RateWindow } from './rate-window.ts';

/** The rate at each second of so many, where `each` is added every 100 ms up to `until`. */
function rates(each: number, until: number, seconds: number): number[] {
  const window = new RateWindow();
  const told: number[] = [];
  for (let now = 0; now <= seconds * 1000; now += 100) {
    if (now < until) window.add(each, 7_000_000 + now);
    if (now % 1000 === 999 - 899) told.push(window.perSecond(7_000_000 + now));
  }
  return told;
}

describe('the rate in a window', () => {
  it('is zero when nothing moved', () => {
    expect(new RateWindow().perSecond(0)).toBe(0);
    expect(new RateWindow().perSecond(123_456)).toBe(0);
  });

  it('is that of a steady flow from its first seconds on', () => {
    const [, ...later] = rates(100, Infinity, 20);
    for (const rate of later) {
      expect(rate).toBeGreaterThanOrEqual(950);
      expect(rate).toBeLessThanOrEqual(1100);
    }
  });

  it('falls after the end of a flow and is zero after five seconds', () => {
    const told = rates(100, 5000, 12);
    expect(told.slice(6, 9)).toEqual([...told.slice(6, 9)].sort((a, b) => b - a));
    expect(told.slice(11)).toEqual([0, 0].slice(0, told.length - 11));
  });

  it('is at most a burst in a second', () => {
    const window = new RateWindow();
    window.add(5000, 10_000);
    expect(window.perSecond(10_001)).toBe(5000);
    expect(window.perSecond(12_000)).toBe(2500);
    expect(window.perSecond(60_000)).toBe(0);
  });

  it('forgets what is older than the window, whenever it is asked', () => {
    const window = new RateWindow();
    window.add(1000, 0);
    window.add(10, 5000);
    expect(window.perSecond(5000)).toBe(10);
  });
});
