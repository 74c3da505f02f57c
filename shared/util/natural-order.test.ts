import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareNaturally } from './natural-order.ts';

/** Names that have much in common. */
const name = fc
  .array(fc.constantFrom('0', '1', '2', '9', '10', '007', 'a', 'B', '-', ' ', 'é', '~'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

describe('the natural order of names', () => {
  it.each([
    [['file 1', 'file 2', 'file 10', 'file 11']],
    [['IMG_0009.jpg', 'IMG_0010.jpg', 'IMG_0100.jpg']],
    [['a', 'a0', 'a00', 'a01', 'a1', 'a2', 'ab']],
    [['1.2', '1.10', '1.10.1', '2.1']],
    // Code units decide between numbers: no case, no language.
    [['-1', '1', '9', 'B', 'a', 'z', 'é']],
    // Longer than any number of the machine.
    [['x99999999999999999998', 'x99999999999999999999', 'x100000000000000000000']],
    [['', '0', '00', ' ', 'part', 'part 0'].sort(compareNaturally)],
  ])('sorts %j in this order', (names: string[]) => {
    for (let round = 0; round < names.length; round++) {
      const turned = [...names.slice(round), ...names.slice(0, round)];
      expect(turned.sort(compareNaturally)).toEqual(names);
    }
  });

  it('is a total order of all names', () => {
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0);
        expect(compareNaturally(a, b) === 0).toBe(a === b);
        const [first, second, third] = [a, b, c].sort(compareNaturally) as [string, string, string];
        expect(compareNaturally(first, second)).toBeLessThanOrEqual(0);
        expect(compareNaturally(second, third)).toBeLessThanOrEqual(0);
        expect(compareNaturally(first, third)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('compares numbers by value', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.constantFrom('', 'a', '.txt'), (one, other, end) => {
        const order = Math.sign(compareNaturally(`n${one}${end}`, `n${other}${end}`));
        expect(order).toBe(Math.sign(one - other));
      }),
    );
  });
});
