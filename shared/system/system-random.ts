/** The real Random: the operating system's. Good for secrets. */
import { randomBytes } from 'node:crypto';
import type { Random } from '../ports/random.ts';

const TWO_TO_53 = 2 ** 53;
const FRACTION_BYTES = 8;
/**
 * Bytes that are drawn from the system at a time, for fractions: a call costs more than its bytes, and each answer of the server needs a fraction.
 */
const STOCK = 512 * FRACTION_BYTES;

/** Random numbers of the system's cryptographic generator. */
export class SystemRandom implements Random {
  #stock: Buffer = Buffer.alloc(0);
  #used = 0;

  hex(count: number): string {
    return randomBytes(count).toString('hex');
  }

  fraction(): number {
    if (this.#used === this.#stock.length) {
      this.#stock = randomBytes(STOCK);
      this.#used = 0;
    }
    const high = this.#stock.readUInt32BE(this.#used);
    const low = this.#stock.readUInt32BE(this.#used + 4);
    this.#used += FRACTION_BYTES;
    return (high * 2 ** 21 + (low >>> 11)) / TWO_TO_53;
  }
}
