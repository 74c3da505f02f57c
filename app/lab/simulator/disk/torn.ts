/**
 * What a power failure may leave of bytes that were written and not synced. On ext4 (and others) pages reach the disk in any
 * order, and the length of the file in another moment than its pages: so the file may be as it was, empty, short, whole,
 * or a mixture with what was there before, or with zeros.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';

const NOTHING = new Uint8Array(0);

/**
 * Draws what a power failure leaves of a file: its synced bytes, the present ones, or a torn
 * mixture.
 */
export function survivor(random: SeededRandom, synced: Uint8Array, now: Uint8Array): Uint8Array {
  const reached = random.below(now.length + 1);
  switch (random.below(6)) {
    case 0:
      return synced;
    case 1:
      return now;
    case 2:
      return NOTHING;
    case 3:
      return now.slice(0, reached);
    case 4:
      return over(synced, now, reached);
    default:
      return over(new Uint8Array(now.length), now, reached);
  }
}

/** A write that was stopped: the first bytes of the new, then what lay there. */
export function over(old: Uint8Array, written: Uint8Array, reached: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(reached, old.length));
  bytes.set(old);
  bytes.set(written.subarray(0, reached));
  return bytes;
}
