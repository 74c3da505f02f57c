import { describe, expect, it } from '@jest/globals';
import { simulate } from './simulation.ts';

describe('a random history', () => {
  it('is the same for the same seed, faults included', async () => {
    const [once, again, other] = [
      await simulate({ seed: 11, steps: 120 }),
      await simulate({ seed: 11, steps: 120 }),
      await simulate({ seed: 12, steps: 120 }),
    ];
    expect(again).toEqual(once);
    expect(other.digest).not.toBe(once.digest);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('has no finding with seed %d', async (seed) => {
    const { findings } = await simulate({ seed, steps: 200 });
    expect(findings).toEqual([]);
  });
});
