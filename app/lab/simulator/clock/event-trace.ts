/**
 * What happened in a world, as a digest: two runs of one seed must have the same. The last lines are kept in full, for
 * the person who looks at a failure.
 */
import { LineDigest } from './line-digest.ts';

const KEPT_LINES = 400;

/** Adds up the events of a world in a digest, and keeps the last lines. */
export class EventTrace {
  readonly #digest = new LineDigest();
  readonly #recent: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  note(line: string): void {
    this.#digest.add(line);
    this.#count += 1;
    this.#recent.push(line);
    if (this.#recent.length >= 2 * KEPT_LINES) this.#recent.splice(0, KEPT_LINES);
  }

  /** Of everything so far, as lower-case hex. */
  digest(): string {
    return this.#digest.hex();
  }

  recent(count: number): string[] {
    return this.#recent.slice(-count);
  }
}
