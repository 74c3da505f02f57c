import { expect, it } from '@jest/globals';
import { editDistance } from './edit-distance.ts';

it.each([
  ['readme', 'readme', 0],
  ['readme', 'raedme', 1],
  ['readme', 'redme', 1],
  ['readme', 'reaadme', 1],
  ['readme', 'rexdme', 1],
  ['', 'ab', 2],
  ['abc', 'xyz', 3],
  ['a', 'abcdef', 4],
  ['kitten', 'sitting', 3],
])('the distance from %j to %j is %i steps', (a, b, steps) => {
  expect(editDistance(a, b, 3)).toBe(steps);
  expect(editDistance(b, a, 3)).toBe(steps);
});
