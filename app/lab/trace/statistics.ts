/** What a trace comes to, in the columns of table 3 of MFS (section 3.5). */
import type { BadLines } from './bad-lines.ts';
import { hasFlag, isRefused, processOf, type TraceRecord } from './record.ts';
import { TraceNames } from './trace-names.ts';
import { MAX_TRACE_NAMES, MAX_TRACE_PROCESSES } from './trace-limits.ts';

export interface TraceStatistics {
  /** File-system operations. */
  readonly records: number;
  /** From the first of them to the last. */
  readonly seconds: number;
  /** Processes; those without a number by the name of their program. */
  readonly processes: number;
  /** Machines that are named; 0: the trace tells none. */
  readonly clients: number;
  /** Different files and directories that were named, and how many of them were never there. */
  readonly files: number;
  readonly missing: number;
  /** Sizes, in bytes, of the files that were there before, as far as they are known: what fetching each once takes. */
  readonly fileBytes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Operations that the recorder had to leave out. */
  readonly lost: number;
}

interface SeenFile {
  isThere: boolean;
  /** Bytes before the trace. */
  size: number;
  isSizeKnown: boolean;
}

/** Adds up the records of a trace in the columns of table 3 (MFS, section 3.5). */
export class StatisticsCollector {
  readonly #bad: BadLines;
  readonly #names = new TraceNames();
  readonly #files = new Map<string, SeenFile>();
  readonly #processes = new Set<string>();
  /** No more than processes. */
  readonly #clients = new Set<string>();
  #records = 0;
  #first: number | null = null;
  #last = 0;
  #bytesRead = 0;
  #bytesWritten = 0;
  #lost = 0;

  constructor(bad: BadLines) {
    this.#bad = bad;
  }

  /** Throws `bad-trace` where there are more files or processes than a trace may have. */
  add(record: TraceRecord): void {
    const { at, client, op, length = 0 } = record;
    if (op === 'gap') {
      this.#lost += length;
      return;
    }
    this.#records += 1;
    this.#first ??= at;
    this.#last = at;
    if (client !== undefined) this.#clients.add(client);
    this.#processes.add(processOf(record));
    if (this.#processes.size > MAX_TRACE_PROCESSES) {
      throw this.#bad.error(`expected ${MAX_TRACE_PROCESSES} processes at most`);
    }
    if (op === 'read' && !isRefused(record)) this.#bytesRead += length;
    if (op === 'write' && !isRefused(record)) this.#bytesWritten += length;
    const { own, other } = this.#names.of(record);
    if (own !== null) this.#see(own, record);
    if (other !== null && !isRefused(record)) this.#file(other).isThere = true;
  }

  result(): TraceStatistics {
    const files = [...this.#files.values()];
    return {
      records: this.#records,
      seconds: this.#first === null ? 0 : (this.#last - this.#first) / 1e6,
      processes: this.#processes.size,
      clients: this.#clients.size,
      files: files.length,
      missing: files.filter(({ isThere }) => !isThere).length,
      fileBytes: files.reduce((sum, { size }) => sum + size, 0),
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
      lost: this.#lost,
    };
  }

  #see(name: string, record: TraceRecord): void {
    const { op, size, offset = 0, length = 0 } = record;
    const isNew = !this.#files.has(name);
    const file = this.#file(name);
    if (hasFlag(record, 'not-found')) return;
    file.isThere = true;
    if (isRefused(record) || file.isSizeKnown) return;
    // What was made in the trace was not there before, and what was written or emptied says no more what was.
    if (isNew && (op === 'create' || op === 'symlink')) file.isSizeKnown = true;
    else if (size !== undefined) [file.size, file.isSizeKnown] = [size, true];
    else if (op === 'read') file.size = Math.max(file.size, offset + length);
    else if (op === 'write' || op === 'truncate') file.isSizeKnown = true;
  }

  #file(name: string): SeenFile {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    if (this.#files.size === MAX_TRACE_NAMES) {
      throw this.#bad.error(`expected ${MAX_TRACE_NAMES} files at most`);
    }
    const file = { isThere: false, size: 0, isSizeKnown: false };
    this.#files.set(name, file);
    return file;
  }
}
