import { expect, it } from '@jest/globals';
import { textOf, wholeFolder } from './set-up.ts';

it.each([
  ['~', '/home/ann'],
  ['~/Godwit', '/home/ann/Godwit'],
  [' ~/My Files ', '/home/ann/My Files'],
  ['Godwit', '/home/ann/Godwit'],
  ['--folder', '/home/ann/--folder'],
  ['~bob/x', '/home/ann/~bob/x'],
  ['/srv/Godwit', '/srv/Godwit'],
  ['', ''],
])('the folder that a person types as %j is %s', (typed, whole) => {
  expect(wholeFolder(typed, '/home/ann')).toBe(whole);
});

it.each([7, null, undefined, {}, 'a\0b', 'x'.repeat(10_001)])(
  'the text %j is refused before a command gets it',
  (given) => {
    expect(() => textOf(given)).toThrow('that is no text');
  },
);
