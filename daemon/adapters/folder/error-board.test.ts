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
