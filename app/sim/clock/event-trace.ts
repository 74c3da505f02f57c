/**
 * What happened in a world, as a digest: two runs of one seed must have the same. The last lines are kept in full, for
 * the person who looks at a failure.
 */
import { blake3 } from '@noble/hashes/blake3.js';

const KEPT_LINES = 400;

export class EventTrace {
  readonly #hash = blake3.create();
  readonly #encoder = new TextEncoder();
  readonly #recent: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  note(line: string): void {
    this.#hash.update(this.#encoder.encode(`${line}\n`));
    this.#count += 1;
    this.#recent.push(line);
    if (this.#recent.length >= 2 * KEPT_LINES) this.#recent.splice(0, KEPT_LINES);
  }

  /** Of everything so far, as lower-case hex. */
  digest(): string {
    return Buffer.from(this.#hash.clone().digest()).toString('hex');
  }

  recent(count: number): string[] {
    return this.#recent.slice(-count);
  }
}
