import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { isFid } from '../model/fid.ts';
import { leaf, textLike, wholeNumber } from './leaf.ts';

const EDGES = [0, -0, 1, -1, 0.5, 7, 8, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, -(2 ** 53)];
const OTHERS = [
  undefined,
  null,
  true,
  '',
  '7',
  '0a',
  7n,
  [],
  [7],
  {},
  Number.NaN,
  Infinity,
  -Infinity,
];

const anyValue = fc.oneof(
  fc.constantFrom<unknown>(...EDGES, ...OTHERS),
  fc.integer(),
  fc.double(),
  fc.stringMatching(/^[0-9a-g]{0,9}$/),
  fc.stringMatching(/^[0-9]{1,11}\.[0-9]{1,2}\.[0-9]{1,2}$/),
  fc.anything(),
);

function isAlike(mine: z.ZodType, usual: z.ZodType): void {
  for (const wrap of [alone, inObject, orNull, orLeftOut]) {
    const [one, other] = [wrap(mine), wrap(usual)];
    fc.assert(
      fc.property(anyValue, (value) => {
        for (const input of [value, { field: value }, {}]) {
          const [got, expected] = [one.safeParse(input), other.safeParse(input)];
          expect(got.success).toBe(expected.success);
          if (got.success) expect(got.data).toEqual(expected.data);
          else expect(got.error.issues[0]?.path).toEqual(expected.error?.issues[0]?.path);
        }
      }),
      { numRuns: 300 },
    );
  }
}

const alone = (schema: z.ZodType): z.ZodType => schema;
const inObject = (field: z.ZodType): z.ZodType => z.strictObject({ field });
const orNull = (field: z.ZodType): z.ZodType => z.strictObject({ field: field.nullable() });
const orLeftOut = (field: z.ZodType): z.ZodType => z.strictObject({ field: field.optional() });

describe('a leaf of a schema', () => {
  it.each([
    [0, 7],
    [1, 2 ** 32 - 1],
    [0, Number.MAX_SAFE_INTEGER],
  ])('accepts the same whole numbers from %d to %d as the usual check', (least, most) => {
    isAlike(wholeNumber(least, most), z.number().int().min(least).max(most));
  });

  it('accepts the same texts of a pattern as the usual check', () => {
    isAlike(textLike(/^[0-9a-f]{2}$/), z.string().regex(/^[0-9a-f]{2}$/));
  });

  it('accepts what a function accepts', () => {
    isAlike(leaf(isFid), z.custom(isFid));
  });
});
