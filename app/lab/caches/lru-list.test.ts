import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LruList } from './lru-list.ts';

describe('the list in the order of use', () => {
  it('does what a plain array does', () => {
    const step = fc.record({ key: fc.nat(8), what: fc.constantFrom('read', 'delete', 'evict') });
    fc.assert(
      fc.property(fc.nat(5), fc.array(step), (capacity, steps) => {
        const list = new LruList<true>(capacity);
        let plain: number[] = [];
        for (const { key, what } of steps) {
          if (what === 'delete') {
            expect(list.delete(key)).toBe(plain.includes(key));
            plain = plain.filter((other) => other !== key);
          } else if (what === 'evict') {
            expect(list.evict()).toBe(plain.shift());
          } else {
            expect(list.use(key)).toBe(plain.includes(key));
            if (plain.includes(key)) plain = [...plain.filter((other) => other !== key), key];
            else if (!list.isFull) {
              list.put(key, true);
              plain.push(key);
            }
          }
          expect([...list.entries()].map(([each]) => each)).toEqual(plain);
          expect(list.isFull).toBe(plain.length >= capacity);
          expect(list.oldest()).toBe(plain[0]);
        }
      }),
    );
  });
});
