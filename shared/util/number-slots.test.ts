import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { grown, NumberSlots } from './number-slots.ts';

/** Some that lie at the same place of a table, and any others. */
const FEW = fc.nat(9).map((n) => (n % 3) + 64 * n);
const MANY = fc.integer({ min: -1000, max: 2 ** 40 });

it('ids that are there at the same time have different numbers, below the most there were', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.oneof(FEW, MANY)), { maxLength: 300 }),
      (steps) => {
        const slots = new NumberSlots();
        const there = new Map<number, number>();
        let most = 0;
        for (const [comes, id] of steps) {
          if (comes) {
            const slot = slots.take(id);
            expect(there.get(id) ?? slot).toBe(slot);
            there.set(id, slot);
          } else {
            expect(slots.release(id)).toBe(there.get(id) ?? -1);
            there.delete(id);
          }
          most = Math.max(most, there.size);
          expect(new Set(there.values()).size).toBe(there.size);
          expect([slots.size, slots.used]).toEqual([most, there.size]);
          for (const [each, slot] of there) expect(slots.of(each)).toBe(slot);
        }
      },
    ),
  );
});

it('an array of numbers keeps what it has when it gets more room', () => {
  const values = Float64Array.of(1, 2);
  expect(grown(values, 2)).toBe(values);
  expect([...grown(values, 3)]).toEqual([1, 2, 0, 0]);
});

it('many ids at once are found again, and their numbers are used again', () => {
  const slots = new NumberSlots();
  const ids = Array.from({ length: 500 }, (_, n) => n * 64);
  const taken = ids.map((id) => slots.take(id));
  expect(ids.map((id) => slots.of(id))).toEqual(taken);
  for (const id of ids) slots.release(id);
  for (const id of ids) slots.take(id + 1);
  expect([slots.size, slots.used]).toEqual([500, 500]);
});
