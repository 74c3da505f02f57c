/**
 * Which files several devices use (MFS, section 5.1): the server's share monitor tells with each answer about one, and stores of those go
 * before others, in STORE_FAST. What was not told of is unshared, as every new file is. Kept in memory: a word too few costs time alone.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { SHARED_KNOWN } from '../../limits.ts';

/** Remembers the files that the server calls shared; at most SHARED_KNOWN, the oldest go first. */
export class SharedFiles {
  /** The one that was told of last is the last one. */
  readonly #shared = new Set<Fid>();

  has(fid: Fid): boolean {
    return this.#shared.has(fid);
  }

  /** True: that is news. */
  learn(fid: Fid, isShared: boolean): boolean {
    const was = this.#shared.delete(fid);
    if (isShared) this.#shared.add(fid);
    const [oldest] = this.#shared;
    if (this.#shared.size > SHARED_KNOWN && oldest !== undefined) this.#shared.delete(oldest);
    return was !== isShared;
  }
}
