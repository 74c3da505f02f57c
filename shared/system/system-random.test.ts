import { expect, it } from '@jest/globals';
import { SystemRandom } from './system-random.ts';

it("the system's random source draws fractions in [0, 1) without repetition", () => {
  const random = new SystemRandom();
  const drawn = Array.from({ length: 2000 }, () => random.fraction());
  expect(drawn.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
  expect(new Set(drawn).size).toBe(drawn.length);
  const mean = drawn.reduce((sum, fraction) => sum + fraction, 0) / drawn.length;
  // Eight standard deviations.
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.052);
});

it("the system's random source draws texts of a number of bytes", () => {
  expect(new SystemRandom().hex(16)).toMatch(/^[0-9a-f]{32}$/);
});
