/**
 * Which file or directory a record is of, through a whole trace: a name in a directory and the fid it was found to have are one. Paths stay what they
 * are when something is renamed. Records are given in order, each once.
 */
import { isRefused, nameOf, newNameOf, type TraceRecord } from './record.ts';
import { MAX_TRACE_NAMES } from './trace-limits.ts';

export interface RecordNames {
  readonly own: string | null;
  /** Where a rename or link leads to. */
  readonly other: string | null;
}

/**
 * Gives each record's file one name, whether the trace tells a path, a name in a directory or a
 * fid.
 */
export class TraceNames {
  readonly #fids = new Map<string, string>();

  of(record: TraceRecord): RecordNames {
    const { fid, dir, path, op } = record;
    const name = dir === undefined || path === undefined ? null : `${dir}/${path}`;
    if (name !== null && fid !== undefined) this.#know(name, fid);
    const own = this.#fids.get(nameOf(record) ?? '') ?? nameOf(record);
    const newName = newNameOf(record);
    const other = newName === null ? null : (this.#fids.get(newName) ?? newName);
    if (name !== null && !isRefused(record)) this.#follow(op, name, newName);
    return { own, other };
  }

  #follow(op: TraceRecord['op'], name: string, newName: string | null): void {
    const fid = this.#fids.get(name);
    if (newName !== null && fid !== undefined) this.#know(newName, fid);
    if (op === 'rename' || op === 'remove' || op === 'rmdir') this.#fids.delete(name);
  }

  /** Beyond the limit the oldest is forgotten, and counts as a file of its own. */
  #know(name: string, fid: string): void {
    if (this.#fids.size >= MAX_TRACE_NAMES) {
      const [oldest = ''] = this.#fids.keys();
      this.#fids.delete(oldest);
    }
    this.#fids.set(name, fid);
  }
}
