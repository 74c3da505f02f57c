import { describe, expect, it } from '@jest/globals';
import { instant } from '../../../shared/model/time.ts';
import {
  STORE_BYTES_IN_FLIGHT,
  STORE_WAIT,
  STORE_WINDOW_FIRST,
  STORE_WINDOW_LEAST,
} from '../../limits.ts';
import { StoreWindow } from './store-window.ts';

const at = instant;
const LATE = STORE_WAIT + 1;

describe('the window of stores', () => {
  it('admits stores with nothing before them, and no more than a window ahead', () => {
    const window = new StoreWindow();
    expect(
      [0, STORE_WINDOW_FIRST - 1, STORE_WINDOW_FIRST].map((before) => window.lets(before)),
    ).toEqual([true, true, false]);
  });

  it('is halved by contents that took long, once for all of one time', () => {
    const window = new StoreWindow();
    window.began(at(0), at(LATE), true);
    window.began(at(10), at(LATE + 10), true);
    expect(window.bytes).toBe(STORE_WINDOW_FIRST / 2);
    window.began(at(LATE), at(3 * LATE), false);
    expect(window.bytes).toBe(Math.max(STORE_WINDOW_FIRST / 4, STORE_WINDOW_LEAST));
    for (let round = 3; round < 9; round++)
      window.began(at(round * LATE), at((round + 2) * LATE), true);
    expect(window.bytes).toBe(STORE_WINDOW_LEAST);
  });

  it('is doubled when it held others back and nothing took long', () => {
    const window = new StoreWindow();
    const round = (now: number, isFirst = true): number => {
      window.lets(Number.POSITIVE_INFINITY);
      window.began(at(now), at(now + 1), isFirst);
      return window.bytes;
    };
    expect(round(0)).toBe(2 * STORE_WINDOW_FIRST);
    // Something that was handed over earlier stands still: this one has overtaken it.
    expect(round(10, false)).toBe(2 * STORE_WINDOW_FIRST);
    for (let now = 20; now < 200; now += 10) round(now);
    expect(window.bytes).toBe(STORE_BYTES_IN_FLIGHT);
  });

  it('is unchanged while it holds nothing back', () => {
    const window = new StoreWindow();
    window.began(at(0), at(1), true);
    expect(window.bytes).toBe(STORE_WINDOW_FIRST);
  });
});
