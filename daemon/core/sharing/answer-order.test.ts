import { expect, it } from '@jest/globals';
import { AnswerOrder } from './answer-order.ts';

it('the AnswerOrder accepts an answer at once when no break comes before it', () => {
  const order = new AnswerOrder<string>();
  expect(order.mustWait(0, 'first')).toBe(false);
  order.taken(1);
  expect(order.mustWait(1, 'second')).toBe(false);
});

it('the AnswerOrder keeps answers until all earlier breaks have come, in their order', () => {
  const order = new AnswerOrder<string>();
  expect(['c', 'a', 'b'].map((answer, at) => order.mustWait([3, 1, 3][at] ?? 0, answer))).toEqual([
    true,
    true,
    true,
  ]);
  // The third overtook the second.
  expect(order.taken(3)).toEqual([]);
  expect(order.taken(1)).toEqual(['a']);
  expect(order.taken(2)).toEqual(['c', 'b']);
  expect(order.mustWait(3, 'd')).toBe(false);
});

it('the AnswerOrder starts anew with each connection and returns what was kept', () => {
  const order = new AnswerOrder<string>();
  order.taken(1);
  order.mustWait(2, 'lost');
  order.taken(3);
  expect(order.reset()).toEqual(['lost']);
  expect(order.mustWait(1, 'of the next')).toBe(true);
  expect(order.taken(1)).toEqual(['of the next']);
});
