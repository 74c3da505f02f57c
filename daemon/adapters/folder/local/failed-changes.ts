/**
 * What was found in the folder and could not be logged: a disk that fails, a log that has no room. It is tried again, and who flushes is
 * told of what still can not be (rule F4): it is not on its way anywhere.
 */
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { fromRoot } from '../../../../shared/util/from-root.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { PathChanged } from '../disk/path-changed.ts';
import type { ErrorBoard } from '../error-board.ts';
import { describeError, wordsFor } from '../error-words.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';

const NOT_TAKEN_IN = 'it can not be taken in';
const STAYS_HERE = 'this device may only read this volume: it stays here alone';

const isRefusal = (code: unknown): boolean => code === 'no-right' || code === 'volume-removed';

export interface FailedChangesParts {
  readonly dirty: DirtyPaths;
  readonly board: ErrorBoard;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits: Pick<FolderLimits, 'retry'>;
}

/** Keeps the local changes that could not be logged, and has their paths looked at again. */
export class FailedChanges {
  readonly #parts: FailedChangesParts;
  readonly #errors = new Map<string, unknown>();
  /** Which of all failures was the last one of a path that only somebody else's word can mend. */
  readonly #refused = new Map<string, number>();
  /** Paths at which something changed while it was taken. */
  #changed = new Set<string>();
  #count = 0;

  constructor(parts: FailedChangesParts) {
    this.#parts = parts;
  }

  /** How many steps have failed since the start: who compares two counts knows whether one has meanwhile. */
  get count(): number {
    return this.#count;
  }

  /** What is at a path changed while it was taken: nothing is logged of it, or only a part. */
  changed(path: readonly string[]): void {
    this.#changed.add(path.join('/'));
  }

  /** The paths that changed while they were taken since the last call, with slashes. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** A step at a path failed: says why, and has the path looked at again. */
  failed(path: readonly string[], error: unknown): void {
    const { log, clock, limits, board, dirty } = this.#parts;
    this.#count += 1;
    const text = path.join('/');
    const code = (error as { code?: unknown }).code;
    // Gone while it was looked at: then that is what is found next.
    this.#refused.delete(text);
    const isGone = code === 'ENOENT' || code === 'ENOTDIR' || error instanceof PathChanged;
    if (isGone) {
      this.changed(path);
      return dirty.hint(text, clock.now(), { live: dirty.isLive(text) });
    }
    if (code === 'EACCES' || code === 'EPERM') {
      board.found('file-unreadable', text, `it can not be read (${code})`);
    } else {
      // As long as somebody flushes, it is tried again and again.
      const isKnown = String(this.#errors.get(text)) === String(error);
      if (!isKnown) log.warn('a change could not be logged', { path: text, error: String(error) });
      if (isRefusal(code)) this.#refused.set(text, this.#count);
      if (code === 'no-right') board.set(code, text, STAYS_HERE);
      else describeError(board, text, error, NOT_TAKEN_IN);
      this.#errors.set(text, error);
    }
    dirty.hint(text, clock.now(), { live: dirty.isLive(text), delay: limits.retry });
  }

  /** What was looked at since and did not fail is not among the dirty paths any more: it is forgotten here. */
  prune(): void {
    const { dirty } = this.#parts;
    for (const path of this.#errors.keys()) if (!dirty.has(path)) this.#errors.delete(path);
    for (const path of this.#refused.keys()) if (!dirty.has(path)) this.#refused.delete(path);
  }

  /** Whether the path was refused after so many failures (`count`), so that looking again mends nothing: the volume may not be written here. */
  isRefusedSince(path: string, count: number): boolean {
    return (this.#refused.get(path) ?? 0) > count;
  }

  /** The paths that failed last time, with slashes. */
  paths(): string[] {
    return [...this.#errors.keys()];
  }

  /** Why the first of them could not be logged; null: none failed. */
  get error(): GodwitError | null {
    for (const [path, error] of this.#errors) {
      const [code, where, text] = wordsFor(error, path, NOT_TAKEN_IN);
      return new GodwitError(
        code,
        [where === null ? null : fromRoot(where), text].filter(Boolean).join(': '),
      );
    }
    return null;
  }
}
