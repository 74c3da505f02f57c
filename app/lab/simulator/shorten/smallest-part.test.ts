import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { smallestPart } from './smallest-part.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Whether all that is needed is there; counts how often it was asked. */
function needing(needed: readonly number[]) {
  const asked = { times: 0 };
  const enough = (part: readonly number[]): Promise<boolean> => {
    asked.times += 1;
    return Promise.resolve(needed.every((item) => part.includes(item)));
  };
  return { asked, enough };
}

describe('the smallest sufficient part', () => {
  it('consists of the needed items in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 80 }),
        fc.array(fc.nat({ max: 79 }), { maxLength: 6 }),
        async (count, wanted) => {
          const needed = [...new Set(wanted.map((item) => item % count))].sort((a, b) => a - b);
          const { enough } = needing(needed);
          expect(await smallestPart(upTo(count), enough)).toEqual(needed);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is found with few tests when little is needed', async () => {
    const { enough, asked } = needing([300, 301]);
    expect(await smallestPart(upTo(1000), enough)).toEqual([300, 301]);
    expect(asked.times).toBeLessThan(60);
  });

  it('can spare none of its items, even when more is not always enough', async () => {
    const odd = (part: readonly number[]): Promise<boolean> =>
      Promise.resolve(part.includes(5) && part.length % 3 !== 2);
    const found = await smallestPart(upTo(40), odd);
    expect(await odd(found)).toBe(true);
    for (const item of found)
      expect(await odd(found.filter((other) => other !== item))).toBe(false);
  });

  it('is everything when the patience is over', async () => {
    expect(await smallestPart(upTo(9), () => Promise.resolve(false))).toEqual(upTo(9));
  });
});
