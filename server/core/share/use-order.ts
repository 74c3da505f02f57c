/**
 * What the share monitors of all volumes watch, in the order of its last use: the memory for it is bounded for the server as a whole, so a volume
 * that is used much takes the place of one that is not.
 *
 * Invariants
 * 1. It holds MAX_WATCHED at most, each once; `older` and `newer` name each other.
 * 2. The monitor forgets a subject in the step in which the order drops it.
 */
import { MAX_WATCHED } from '../../limits.ts';
import type { SubjectKey } from '../callback/promise-table.ts';

/** Something that was used, and where its monitor has it. The links are the order's own. */
export interface Used {
  readonly key: SubjectKey;
  readonly among: Map<SubjectKey, unknown>;
  older: Used | null;
  newer: Used | null;
}

/**
 * Orders the watched subjects of all volumes by their last use, and forgets the oldest beyond
 * MAX_WATCHED.
 */
export class UseOrder {
  #oldest: Used | null = null;
  #newest: Used | null = null;
  #size = 0;

  /** It was used now. Where there are too many then, the one that was not used for the longest is forgotten. */
  used(one: Used): void {
    if (this.#newest === one) return;
    if (one.newer === null) this.#size += 1;
    else this.#unlink(one);
    one.older = this.#newest;
    if (this.#newest === null) this.#oldest = one;
    else this.#newest.newer = one;
    this.#newest = one;
    if (this.#size > MAX_WATCHED) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#oldest;
    if (oldest === null) return;
    this.#unlink(oldest);
    this.#size -= 1;
    oldest.among.delete(oldest.key);
  }

  /** It is not the newest, or the only one. */
  #unlink(one: Used): void {
    const { older, newer } = one;
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer !== null) newer.older = older;
    one.older = null;
    one.newer = null;
  }
}
