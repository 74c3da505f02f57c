import fc from 'fast-check';
import { expect, it } from '@jest/globals';
import { Heap } from './heap.ts';
import { NearlySortedQueue } from './nearly-sorted-queue.ts';

interface Item {
  readonly rank: number;
  readonly serial: number;
}

const byRank = (a: Item, b: Item): number => a.rank - b.rank || a.serial - b.serial;

it('the nearly sorted queue yields the same as a heap, whatever comes and goes', () => {
  const step = fc.oneof(fc.constant(null), fc.nat(20), fc.nat(1000));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new NearlySortedQueue(byRank);
      const heap = new Heap(byRank);
      for (const [serial, rank] of steps.entries()) {
        if (rank === null) {
          expect(queue.pop()).toBe(heap.pop());
          continue;
        }
        const item = { rank, serial };
        queue.push(item);
        heap.push(item);
      }
      for (let left = heap.pop(); left !== undefined; left = heap.pop()) {
        expect(queue.pop()).toBe(left);
      }
      expect(queue.pop()).toBeUndefined();
    }),
  );
});

it('the nearly sorted queue compares sorted items once at their arrival', () => {
  let compared = 0;
  const queue = new NearlySortedQueue<number>((a, b) => {
    compared += 1;
    return a - b;
  });
  for (let n = 0; n < 1000; n++) queue.push(n);
  for (let n = 0; n < 1000; n++) expect(queue.pop()).toBe(n);
  expect(compared).toBe(999);
});
