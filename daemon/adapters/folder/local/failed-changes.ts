/**
 * What was found in the folder and could not be logged: a disk that fails, a log that has no room. It is tried again, and who flushes is
 * told of what still can not be (rule F4): it is not on its way anywhere.
 */
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { wordsFor } from '../error-words.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';

export const NOT_TAKEN_IN = 'it can not be taken in';

export class FailedChanges {
  readonly #dirty: Pick<DirtyPaths, 'has'>;
  readonly #errors = new Map<string, unknown>();

  constructor(dirty: Pick<DirtyPaths, 'has'>) {
    this.#dirty = dirty;
  }

  failed(path: string, error: unknown): void {
    this.#errors.set(path, error);
  }

  /** What was looked at since and did not fail is not among the dirty paths any more. */
  looked(): void {
    for (const path of this.#errors.keys()) if (!this.#dirty.has(path)) this.#errors.delete(path);
  }

  paths(): string[] {
    return [...this.#errors.keys()];
  }

  /** Why the first of them could not be; null: there is none. */
  get error(): GodwitError | null {
    for (const [path, error] of this.#errors) {
      const [code, where, text] = wordsFor(error, path, NOT_TAKEN_IN);
      return new GodwitError(code, [where, text].filter(Boolean).join(': '));
    }
    return null;
  }
}
