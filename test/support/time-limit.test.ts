import { expect, it } from '@jest/globals';
import { counted } from '../../build/time-limit.mjs';

it.each([
  ['nobody else', 0, 60],
  ['the tests alone', 3, 60],
  ['twice as much to do', 6, 30],
  ['ten times as much to do', 30, 6],
])('the time limit counts a minute with %s in full or in part', (_, load, seconds) => {
  expect(counted(60_000, load, 2)).toBe(seconds * 1000);
});
