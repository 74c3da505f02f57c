/** A digest of many lines, by the hash of this Node: what a trace has of them is compared and nothing else. */
import { createHash } from 'node:crypto';

/** Lines are handed over together: a call costs more than hashing a line. */
const BATCH_CHARACTERS = 65_536;

/** Hashes lines with SHA-256, a batch at a time. */
export class LineDigest {
  readonly #hash = createHash('sha256');
  #batch = '';

  add(line: string): void {
    this.#batch += `${line}\n`;
    if (this.#batch.length >= BATCH_CHARACTERS) this.#flush();
  }

  /** Of everything so far, as lower-case hex. */
  hex(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  #flush(): void {
    this.#hash.update(this.#batch);
    this.#batch = '';
  }
}
