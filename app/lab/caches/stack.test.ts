import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LruStack } from './stack.ts';

/** An LRU cache as one would write it down. */
class PlainLru {
  readonly #keys: number[] = [];
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  use(key: number): boolean {
    const isHit = this.invalidate(key);
    this.#keys.push(key);
    if (this.#keys.length > this.#size) this.#keys.shift();
    return isHit;
  }

  invalidate(key: number): boolean {
    const at = this.#keys.indexOf(key);
    if (at >= 0) this.#keys.splice(at, 1);
    return at >= 0;
  }
}

const SIZES = [1, 2, 3, 5, 8];
const step = fc.record({
  key: fc.nat(12),
  isUse: fc.integer({ min: 0, max: 9 }).map((n) => n < 7),
});

describe('the stack', () => {
  it('hits as a plain LRU cache of each size does, with invalidations between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const stack = new LruStack();
        const plain = SIZES.map((size) => new PlainLru(size));
        for (const { key, isUse } of steps) {
          const depth = isUse ? stack.use(key) : stack.invalidate(key);
          const hits = SIZES.map((size) => depth !== null && depth < size);
          expect(hits).toEqual(plain.map((lru) => (isUse ? lru.use(key) : lru.invalidate(key))));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('numbers its places anew without anybody seeing it', () => {
    const stack = new LruStack();
    const plain = SIZES.map((size) => new PlainLru(size));
    for (let n = 0; n < 30_000; n++) {
      const key = (n * 7919) % 11;
      const depth = n % 13 === 0 ? stack.invalidate(key) : stack.use(key);
      const hits = SIZES.map((size) => depth !== null && depth < size);
      expect(hits).toEqual(plain.map((lru) => (n % 13 === 0 ? lru.invalidate(key) : lru.use(key))));
    }
    expect(stack.size).toBeLessThanOrEqual(11);
  });

  it('forgets what is idle below a depth', () => {
    const stack = new LruStack();
    for (let key = 0; key < 30; key++) stack.use(key, key);
    stack.prune(20, 25);
    expect(stack.size).toBe(20);
    expect(stack.depth(9)).toBeNull();
    expect(stack.depth(10)).toBe(19);
    expect(stack.usedAt(29)).toBe(29);
  });
});
