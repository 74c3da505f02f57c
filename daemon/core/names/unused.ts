/**
 * Which statuses were used lately: each has a second chance (the clock algorithm). A hand goes round over all of them, and what was used since it
 * came by last stays. So a use costs one mark, and no order of uses has to be kept.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';

/** Marks what is used, and goes round. Also gathers what the server is to be told. */
export class Unused {
  readonly #used = new Set<Fid>();
  #hand: Iterator<Fid> | null = null;
  #isFruitful = false;
  /** Promises that were given up, and not told of yet. */
  readonly givenUp: Array<{ readonly fid: Fid; readonly grant: GrantNumber }> = [];
  /** While there are fewer statuses than this, none is looked at. */
  notBefore = 0;

  /** A call has used it. */
  touch(fid: Fid): void {
    this.#used.add(fid);
  }

  /** Whether it was used since the hand was there last; then it has to be used again. */
  takeUsed(fid: Fid): boolean {
    const isUsed = this.#used.delete(fid);
    if (isUsed) this.#isFruitful = true;
    return isUsed;
  }

  /** The next one under the hand; null: it has gone round, and begins anew. */
  next(all: Iterator<Fid>): Fid | null {
    this.#hand ??= all;
    const next = this.#hand.next();
    if (next.done !== true) return next.value;
    this.#hand = null;
    return null;
  }

  /** Something could be forgotten in this round. */
  found(): void {
    this.#isFruitful = true;
  }

  /** A round has ended. True: nothing could be forgotten, and nothing was marked as used, so the next one is no better. */
  wentRound(): boolean {
    const isVain = !this.#isFruitful;
    this.#isFruitful = false;
    return isVain;
  }
}
