/**
 * Files that were removed here one shortly after the other, counted for a person: much that goes at once may not be meant. It is in memory: what
 * was removed can be brought back all the same (docs/guide/history.md).
 */
import { after, type Instant, type WallTime } from '../../../shared/model/time.ts';
import { MANY_REMOVED, REMOVAL_GAP, REMOVED_SHARE, SOME_REMOVED } from '../../limits.ts';
import type { Now } from '../events.ts';

export interface ManyRemoved {
  readonly files: number;
  /** When the first of them was. */
  readonly since: WallTime;
}

/** Counts removals of files; a burst ends when nothing is removed for a while. */
export class RemovalBurst {
  #files = 0;
  #since: WallTime | null = null;
  #last: Instant | null = null;
  /** Vnodes that were known when it began. */
  #known = 0;

  /** One more is removed. `known`: how many vnodes there are. */
  note(now: Now, known: number): void {
    if (!this.goesOn(now)) {
      this.#files = 0;
      this.#since = now.wall;
      this.#known = known;
    }
    this.#files += 1;
    this.#last = now.at;
  }

  /** What is removed now belongs to it. */
  goesOn({ at }: Now): boolean {
    return this.#last !== null && at <= after(this.#last, REMOVAL_GAP);
  }

  /** Of the last burst. */
  get files(): number {
    return this.#files;
  }

  /** The last burst, if a person should know of it. */
  many(): ManyRemoved | null {
    const isMany =
      this.#files >= MANY_REMOVED ||
      (this.#files >= SOME_REMOVED && this.#files > REMOVED_SHARE * this.#known);
    return isMany && this.#since !== null ? { files: this.#files, since: this.#since } : null;
  }
}
