import { describe, expect, it } from '@jest/globals';
import { byteLength, decodeName, encodeName, shownName, takenPath } from './path-bytes.ts';

describe('names of bytes', () => {
  it.each([
    [[0x61, 0x2f, 0xc3, 0xa4], 'a/ä'],
    [[0xe7, 0x8c, 0xab, 0xf0, 0x9f, 0x98, 0x80], '猫😀'],
    [[0xff, 0x61], '\udcffa'],
    [[0xc3, 0x28], '\udcc3('],
    [[0xed, 0xa0, 0x80], '\udced\udca0\udc80'],
    [[0xf0, 0x9f, 0x98], '\udcf0\udc9f\udc98'],
  ])('bytes are kept as a text and found again: %j', (bytes, text) => {
    const name = decodeName(Uint8Array.from(bytes));
    expect(name).toBe(text);
    expect([...encodeName(name)]).toEqual(bytes);
    expect(byteLength(name)).toBe(bytes.length);
  });

  it('a byte that is no UTF-8 shows as a replacement, and a lone surrogate is one', () => {
    expect(shownName('a\udcff')).toBe('a\ufffd');
    expect(takenPath('a\udcff')).toBe('a\ufffd');
  });
});
