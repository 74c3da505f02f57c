import { expect, it } from '@jest/globals';
import { durationText, lengthText, sizeText } from './amounts.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [999_949, '999.9 KB'],
  [999_950, '1.0 MB'],
  [16 * 1024 * 1024, '16.8 MB'],
  [-5, '0 B'],
])('a size of %d bytes is printed as %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));

it.each([
  [0, '0 s'],
  [59.6, '1 min 0 s'],
  [599, '9 min 59 s'],
  [3599, '59 min'],
  [3661, '1 h 1 min'],
  [90_000, '1 d 1 h'],
])('a length of %d seconds is printed as %s', (seconds, text) =>
  expect(lengthText(seconds)).toBe(text),
);

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [119_900, '119.9 s'],
  [119_960, '2 min 0 s'],
  [3_661_000, '1 h 1 min'],
])('a duration of %d ms is printed as %s', (ms, text) => expect(durationText(ms)).toBe(text));
