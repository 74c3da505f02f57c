import { expect, it } from '@jest/globals';
import { crossedSince } from './crossed-since.ts';
import { callMsAt, meanCosts, paceOfCalls } from './mean-costs.ts';

it('the mean costs are those of the measured runs, if there are any', () => {
  const one = { callMs: 1, calls: [1, 2], editMs: 1, syncMs: 4, writeMsPerMiB: 10 };
  const other = { callMs: 3, calls: [3], editMs: 2, syncMs: 8, writeMsPerMiB: 0 };
  expect(meanCosts([null, one, other])).toEqual({
    ...{ callMs: 2, calls: [2, 2.5], editMs: 1.5, syncMs: 6, writeMsPerMiB: 5 },
  });
  expect(meanCosts([null])).toBeNull();
});

it('bytes on a link are counted from a moment on, and packets when both counts have them', () => {
  const packets = (crossed: number, dropped: number) => ({ crossed, dropped });
  const at = (bytes: number, dropped: number) => ({
    ...{ up: bytes, down: 2 * bytes },
    packets: { up: packets(bytes / 10, 0), down: packets(bytes / 5, dropped) },
  });
  expect(crossedSince(at(100, 3), at(40, 1))).toEqual({
    ...{ up: 60, down: 120 },
    packets: { up: packets(6, 0), down: packets(12, 2) },
  });
  expect(crossedSince(at(100, 3), { up: 40, down: 0, packets: null })).toMatchObject({
    ...{ up: 60, packets: null },
  });
});

it('a moment with slow calls counts by the few calls made in it', () => {
  // In four seconds there are three times 1000 calls, and 100.
  expect(paceOfCalls([1, 1, 1, 10])).toBeCloseTo(4000 / 3100);
  expect(paceOfCalls([2, 2])).toBe(2);
  expect(paceOfCalls([0])).toBeGreaterThan(0);
});

it('the time of a call is that measured at its moment, or the last one', () => {
  const costs = { callMs: 9, calls: [1, 2], editMs: 0, syncMs: 0, writeMsPerMiB: 0 };
  expect([0, 0.9, 1.5, 60].map((second) => callMsAt(costs, second))).toEqual([1, 1, 2, 2]);
  expect(callMsAt({ ...costs, calls: [] }, 1)).toBe(9);
});
