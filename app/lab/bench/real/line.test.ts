import { expect, it } from '@jest/globals';
import { limitSeconds, queueBytes } from './line.ts';
import { middleOf } from './middle-of.ts';

const line = (bytesPerSecond: number, queueMs = 100) => {
  return { bytesPerSecond, queueMs, roundTripMs: 0 };
};

it('the limit of a link includes its frames: 16 MB at 1024 KB/s take 16.8 s', () => {
  expect(limitSeconds(16 * 1024 * 1024, line(1024 * 1024))).toBeCloseTo(16.81, 2);
  expect(limitSeconds(65_536, line(256 * 1024))).toBeCloseTo(0.263, 3);
});

it('the queue of a link holds its time, and some frames at least', () => {
  expect(queueBytes(line(1_000_000))).toBe(100_000);
  expect(queueBytes(line(64_000))).toBe(9084);
  expect(queueBytes({ ...line(64_000, 50), leastFrames: 2 })).toBe(3200);
});

it.each([
  [[], 0],
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 3],
])('the median of %j is %i', (values, middle) => {
  expect(middleOf(values)).toBe(middle);
});
