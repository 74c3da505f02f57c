/**
 * Files that are too large for a replay: "accesses to files over 4 MB in size" were removed from the traces of MFS (section 3.5), since whole files
 * are fetched and stored. The record of a size may come after the first access, so a trace is read through before.
 */
import { isRefused, type TraceRecord } from './record.ts';
import { TraceNames } from './trace-names.ts';

/**
 * Finds the records of files that are larger than `maxBytes`, in two passes over a trace (MFS,
 * section 3.5).
 */
export class LargeFiles {
  readonly #maxBytes: number;
  readonly #large = new Set<string>();
  readonly #seen = new TraceNames();
  readonly #asked = new TraceNames();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** First all records in order. */
  note(record: TraceRecord): void {
    const { own, other } = this.#seen.of(record);
    if (own === null) return;
    if (this.#isOver(record)) this.#large.add(own);
    // What a large file is called later is large, and nothing is renamed that is not there.
    if (other === null) return;
    if (this.#large.has(own)) this.#large.add(other);
    else if (this.#large.has(other)) this.#large.add(own);
  }

  /** Then again all of them: whether this one is of a large file. */
  drops(record: TraceRecord): boolean {
    const { own, other } = this.#asked.of(record);
    return (own !== null && this.#large.has(own)) || (other !== null && this.#large.has(other));
  }

  #isOver(record: TraceRecord): boolean {
    const { op, size = 0, offset = 0, length = 0 } = record;
    if (size > this.#maxBytes) return true;
    if (isRefused(record)) return false;
    const extent = op === 'truncate' || op === 'read' || op === 'write' ? offset + length : 0;
    return extent > this.#maxBytes;
  }
}
