import { expect, it } from '@jest/globals';
import { ErrorBoard } from './error-board.ts';

it.each([
  { code: 'disk-limits', stays: true },
  { code: 'attributes-left', stays: true },
  { code: 'file-unreadable', stays: false },
] as const)('the board keeps $code of a path that is fine: $stays', ({ code, stays }) => {
  let changes = 0;
  const board = new ErrorBoard(() => (changes += 1));
  board.set(code, 'disk', 'a reason');
  board.clearPath('disk');
  expect(board.has(code, 'disk')).toBe(stays);
  expect(changes).toBe(stays ? 1 : 2);
});

it('the board marks an error as untried after a question until it is found again or over', () => {
  let changes = 0;
  const board = new ErrorBoard(() => (changes += 1));
  const told = () => board.list().map(({ path, untried }) => [path, untried ?? false]);
  board.set('disk-full', 'a', 'no room');
  board.set('disk-full', 'b', 'no room');
  board.asked();
  expect(told()).toEqual([
    ['a', true],
    ['b', true],
  ]);
  board.set('disk-full', 'a', 'no room');
  board.clearPath('b');
  board.set('disk-full', 'b', 'no room');
  expect(told()).toEqual([
    ['a', false],
    ['b', false],
  ]);
  board.trying('disk-full', 'a');
  board.trying('disk-full', 'not there');
  expect(told()).toEqual([
    ['a', true],
    ['b', false],
  ]);
  expect(changes).toBe(7);
});
