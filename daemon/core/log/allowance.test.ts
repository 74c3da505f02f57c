import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Update } from '../../../shared/model/update.ts';
import { NEW_AHEAD, NEW_LEAST, SMALL_SAVE } from '../../limits.ts';
import { Allowance, isSmallAndNew } from './allowance.ts';

describe('the allowance for small new files', () => {
  it('admits a bounded amount at once, and then as much as others have moved', () => {
    const event = fc.record({ new: fc.nat(SMALL_SAVE), moved: fc.nat(2 * SMALL_SAVE) });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const allowance = new Allowance();
        let [ahead, moved] = [0, 0];
        for (const each of events) {
          if (allowance.lets(each.new)) {
            allowance.spend(each.new);
            ahead += Math.max(each.new, NEW_LEAST);
          }
          allowance.regain(each.moved);
          moved += each.moved;
          expect(ahead).toBeLessThanOrEqual(NEW_AHEAD + moved);
        }
      }),
    );
  });

  it('is restored up to its bound, and fully when nothing large is under way', () => {
    const allowance = new Allowance();
    allowance.regain(10 * NEW_AHEAD);
    expect([allowance.lets(NEW_AHEAD), allowance.lets(NEW_AHEAD + 1)]).toEqual([true, false]);
    allowance.spend(NEW_AHEAD);
    expect(allowance.lets(0)).toBe(false);
    allowance.forget();
    expect(allowance.lets(NEW_AHEAD)).toBe(true);
  });

  it.each([
    [{ op: 'store', base: 0, size: SMALL_SAVE }, true],
    [{ op: 'store', base: 0, size: 0 }, true],
    [{ op: 'store', base: 0, size: SMALL_SAVE + 1 }, false],
    [{ op: 'store', base: 1, size: 1 }, false],
    [{ op: 'mkdir' }, false],
  ])('applies to %j: %j', (update, isIt) => {
    expect(isSmallAndNew(update as unknown as Update)).toBe(isIt);
  });
});
