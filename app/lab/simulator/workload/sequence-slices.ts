/** Parts of the long row of sequences. Who asks for one part after the other does not count from the beginning each time. */
import { sequences } from './sequences.ts';
import type { Sequence } from './sequences.ts';

/**
 * Gives slices of the list of all sequences of a depth, without counting from the beginning each
 * time.
 */
export class SequenceSlices {
  #depth = 0;
  #at = 0;
  #row: Iterator<Sequence> = [][Symbol.iterator]();

  /** Those of exactly this depth from the one with this number on (0 is the first); fewer where there are no more. */
  *of(depth: number, from: number, count: number): Generator<Sequence> {
    if (depth !== this.#depth || from < this.#at) {
      this.#depth = depth;
      this.#at = 0;
      this.#row = sequences(depth);
    }
    while (this.#at < from + count) {
      const next = this.#row.next();
      if (next.done === true) return;
      this.#at += 1;
      if (this.#at > from) yield next.value;
    }
  }
}
