/** How a reader treats a line that it can not read: it ends with an error that names the line, or counts it and goes on. */
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_BAD_LINES_KEPT } from './trace-limits.ts';

export interface BadLine {
  /** From 1. */
  readonly line: number;
  readonly expected: string;
}

/** Counts the bad lines of a trace, or throws GodwitError `bad-trace` at the first one. */
export class BadLines {
  readonly #file: string;
  readonly #skip: boolean;
  #count = 0;
  readonly #first: BadLine[] = [];

  constructor(file: string, skip: boolean) {
    this.#file = file;
    this.#skip = skip;
  }

  get count(): number {
    return this.#count;
  }

  /** The first of them. */
  get first(): readonly BadLine[] {
    return this.#first;
  }

  /** Throws `bad-trace`, unless bad lines are skipped. */
  add(line: number, expected: string): void {
    if (!this.#skip) throw this.error(expected, line);
    this.#count += 1;
    if (this.#first.length < MAX_BAD_LINES_KEPT) this.#first.push({ line, expected });
  }

  /** What no skipping helps against. */
  error(expected: string, line: number | null = null): GodwitError {
    const where = line === null ? '' : `line ${line}: `;
    return new GodwitError('bad-trace', `${this.#file}: ${where}${expected}`);
  }
}
