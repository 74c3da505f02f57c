import { expect, test } from '@jest/globals';
import fc from 'fast-check';

test('the inputs of properties are the same in each run', () => {
  const drawn = (): number[] => {
    const numbers: number[] = [];
    fc.assert(fc.property(fc.nat(), (number) => void numbers.push(number)));
    return numbers;
  };
  expect(drawn()).toEqual(drawn());
});
