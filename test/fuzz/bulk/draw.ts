/**
 * Random numbers for inputs by the million: sfc32 (Doty-Humphrey, PractRand), which costs a few nanoseconds a number. Each input begins
 * anew from its own number, so that any one of them can be drawn again without those before.
 */
import { SeededRandom } from '../../../shared/util/seeded-random.ts';

const WARM_UP = 8;
const TWO_32 = 2 ** 32;

export class Draw {
  readonly #key: readonly [number, number];
  #a = 0;
  #b = 0;
  #c = 0;
  #count = 0;

  constructor(seed: string) {
    const random = new SeededRandom(seed);
    this.#key = [random.next32() | 0, random.next32() | 0];
  }

  /** Starts again: the following numbers depend only on the seed and this number. */
  begin(number: number): this {
    this.#a = this.#key[0];
    this.#b = this.#key[1] ^ Math.floor(number / TWO_32);
    this.#c = number | 0;
    this.#count = 1;
    for (let i = 0; i < WARM_UP; i++) this.next();
    return this;
  }

  /** Draws 32 random bits, as a signed number. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum;
  }

  /** Draws a number in [0, limit). */
  below(limit: number): number {
    return Math.floor(((this.next() >>> 0) / TWO_32) * limit);
  }

  /** Draws a number in [0, limit), where smaller numbers are likelier. */
  small(limit: number): number {
    return this.below(1 + this.below(1 + this.below(limit)));
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}
