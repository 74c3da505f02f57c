import { expect, it } from '@jest/globals';
import { MOST_BYTES_DECODING } from '../limits.ts';
import { Decoding } from './decoding.ts';

const [HERE, THERE] = [1 as never, 2 as never];

it('a connection has so many bytes that wait to be decoded, and another one as many', () => {
  const decoding = new Decoding();
  expect(decoding.begins(HERE, 1, MOST_BYTES_DECODING - 1)).toBe(true);
  expect(decoding.begins(HERE, 2, 2)).toBe(false);
  expect(decoding.begins(THERE, 3, MOST_BYTES_DECODING)).toBe(true);
  expect(decoding.ended(1)).toBe(true);
  expect(decoding.begins(HERE, 4, 2)).toBe(true);
  expect([decoding.ended(2), decoding.ended(4)]).toEqual([false, true]);
});

it('a message ends once, and with its connection', () => {
  const decoding = new Decoding();
  decoding.begins(HERE, 1, 5);
  decoding.begins(THERE, 2, 5);
  decoding.closed(HERE);
  expect([decoding.ended(1), decoding.ended(2), decoding.ended(2)]).toEqual([false, true, false]);
  expect(decoding.begins(HERE, 3, MOST_BYTES_DECODING)).toBe(true);
});
