import { expect, it } from '@jest/globals';
import { stepOf } from './stats.ts';

it.each([
  [0.5, 1],
  [0.75, 100],
  [1, Infinity],
])('the step of a share of %d is the one in which that many had ended', (share, bound) => {
  expect(stepOf([2, 1, 1], [1, 100], share)).toBe(bound);
});

it('a share of nothing is in no step', () => {
  expect(stepOf([0, 0], [1], 0.5)).toBeNull();
});
