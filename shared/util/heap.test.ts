import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Heap } from './heap.ts';

function drained<T>(heap: Heap<T>): T[] {
  const out: T[] = [];
  while (heap.size > 0) out.push(heap.pop() as T);
  return out;
}

describe('the heap', () => {
  it.each([
    ['nothing', [], []],
    ['one', [5], [5]],
    ['in order', [1, 2, 3], [1, 2, 3]],
    ['in reverse', [3, 2, 1], [1, 2, 3]],
    ['with equals', [2, 1, 2, 1], [1, 1, 2, 2]],
  ])('drains its items in order: %s', (_, pushed: number[], expected: number[]) => {
    const heap = new Heap<number>((a, b) => a - b);
    for (const value of pushed) heap.push(value);
    expect(heap.peek()).toBe(expected[0]);
    expect(drained(heap)).toEqual(expected);
    expect(heap.pop()).toBeUndefined();
  });

  it('yields equal items in the order of insertion, also between pops', () => {
    const item = fc.record({ key: fc.nat(4), pops: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const heap = new Heap<{ key: number; order: number }>((a, b) => a.key - b.key);
        let model: Array<{ key: number; order: number }> = [];
        items.forEach(({ key, pops }, order) => {
          heap.push({ key, order });
          model = [...model, { key, order }].sort((a, b) => a.key - b.key || a.order - b.order);
          for (let i = 0; i < pops; i++) expect(heap.pop()).toEqual(model.shift());
        });
        expect(drained(heap)).toEqual(model);
      }),
    );
  });
});
