import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sha256OfAscii } from './sha256.ts';

describe('sha256OfAscii', () => {
  it.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000])(
    'agrees with Node on %i characters',
    (n) => {
      const text = Array.from({ length: n }, (_, i) => String.fromCharCode(32 + (i % 90))).join('');
      expect(sha256OfAscii(text)).toBe(createHash('sha256').update(text).digest('hex'));
    },
  );

  it('refuses what is not ASCII', () => {
    expect(() => sha256OfAscii('ü')).toThrow(RangeError);
  });
});
