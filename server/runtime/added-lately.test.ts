import * as fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import type { DeviceId } from '../../shared/model/change.ts';
import { after, instant, milliseconds } from '../../shared/model/time.ts';
import { ADDED_LATELY, ASKED_LATELY, HEAVY_ROWS, SMALL_SHARE } from '../limits.ts';
import { AddedLately } from './added-lately.ts';

const START = instant(0);
const [ANN, BOB] = [1, 2] as DeviceId[] as [DeviceId, DeviceId];

describe('rows added lately', () => {
  it('count half after a while, and nothing in the end', () => {
    const added = new AddedLately();
    added.add(ANN, 64, START);
    added.add(BOB, 1, START);
    expect([added.isSmall(BOB, START), added.isSmall(ANN, START)]).toEqual([true, false]);
    expect(added.isShared(START)).toBe(true);
    const later = after(START, milliseconds(4 * ADDED_LATELY));
    expect(added.isShared(later)).toBe(false);
    added.add(BOB, 4, later);
    expect(added.isSmall(BOB, later)).toBe(false);
  });

  it('make no device small when it is alone', () => {
    const added = new AddedLately();
    expect([added.isSmall(ANN, START), added.isShared(START)]).toEqual([false, false]);
    added.add(ANN, 1, START);
    expect([added.isSmall(ANN, START), added.isShared(START)]).toEqual([false, false]);
  });

  it('make a device heavy where it has added much and another one little', () => {
    const added = new AddedLately();
    added.add(ANN, HEAVY_ROWS - 1, START);
    added.add(BOB, 4, START);
    expect(added.isHeavy(ANN, START)).toBe(false);
    added.add(ANN, 1, START);
    expect([added.isHeavy(ANN, START), added.isHeavy(BOB, START)]).toEqual([true, false]);
    added.add(BOB, HEAVY_ROWS, START);
    expect([added.isHeavy(ANN, START), added.isHeavy(BOB, START)]).toEqual([false, false]);
  });

  it('make a device heavy beside one that only asks, as long as it does so', () => {
    const added = new AddedLately();
    added.asks(BOB, START);
    const later = after(START, milliseconds(ASKED_LATELY - 1));
    added.add(ANN, HEAVY_ROWS, later);
    expect([added.isHeavy(ANN, later), added.isShared(later)]).toEqual([true, true]);
    const end = after(START, ASKED_LATELY);
    added.add(ANN, HEAVY_ROWS, end);
    expect([added.isHeavy(ANN, end), added.isShared(end)]).toEqual([false, false]);
  });

  it('are no fewer beside the questions of the same device, or of one that adds as much', () => {
    const added = new AddedLately();
    added.add(ANN, 2 * HEAVY_ROWS, START);
    added.asks(ANN, START);
    expect([added.isHeavy(ANN, START), added.isShared(START)]).toEqual([false, false]);
    added.add(BOB, 2 * HEAVY_ROWS, START);
    added.asks(BOB, START);
    expect([added.isHeavy(ANN, START), added.isHeavy(BOB, START)]).toEqual([false, false]);
  });

  it('are the same however much a device asks', () => {
    const added = new AddedLately();
    added.add(ANN, 4, START);
    for (let n = 0; n < 1000; n++) added.asks(BOB, START);
    expect([added.isSmall(ANN, START), added.isSmall(BOB, START)]).toEqual([false, true]);
  });

  it('agree with sums over all that was added', () => {
    const acts = fc.array(
      fc.record({
        device: fc.integer({ min: 1, max: 4 }),
        rows: fc.integer({ min: 1, max: 300 }),
        pause: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 30 },
    );
    const property = (list: ReadonlyArray<{ device: number; rows: number; pause: number }>) => {
      const added = new AddedLately();
      let now = START;
      const rows = new Map<number, number>();
      for (const act of list) {
        now = after(now, milliseconds((act.pause * ADDED_LATELY) / 2));
        for (const [device, had] of rows) rows.set(device, had * 0.5 ** (act.pause / 2));
        rows.set(act.device, (rows.get(act.device) ?? 0) + act.rows);
        added.add(act.device, act.rows, now);
        const all = [...rows.values()].reduce((sum, some) => sum + some, 0);
        for (const [device, some] of rows) {
          if (Math.abs(some - SMALL_SHARE * all) < 1e-6) continue;
          expect(added.isSmall(device, now)).toBe(some < SMALL_SHARE * all);
        }
      }
    };
    fc.assert(fc.property(acts, property));
  });
});
