/** The real Random: the operating system's. Good for secrets. */
import { randomBytes } from 'node:crypto';
import type { Random } from '../ports/random.ts';

const TWO_TO_53 = 2 ** 53;

export class SystemRandom implements Random {
  hex(count: number): string {
    return randomBytes(count).toString('hex');
  }

  fraction(): number {
    const bytes = randomBytes(8);
    const bits = bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
    return bits / TWO_TO_53;
  }
}
