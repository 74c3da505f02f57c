/**
 * Which statuses were used lately: each has a second chance (the clock algorithm). A hand goes round over all of them, and what was used since it
 * came by last stays. So a use costs one mark, and no order of uses has to be kept.
 *
 * What was used within KEPT_AFTER_USE stays in any case: a call that needs several statuses asks for one after the other, and must find
 * them all in the end.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import { after, type Instant } from '../../../shared/model/time.ts';
import { FORGET_AGAIN, KEPT_AFTER_USE } from '../../limits.ts';

/** Marks beyond the statuses that there are, until the oldest of them are dropped. */
const SPARE_MARKS = 1000;

/** Marks what is used, and goes round. Also gathers what the server is to be told. */
export class Unused {
  /** When each was used last. */
  readonly #used = new Map<Fid, Instant>();
  #hand: Iterator<Fid> | null = null;
  #isFruitful = false;
  /** Promises that were given up, and not told of yet. */
  readonly givenUp: Array<{ readonly fid: Fid; readonly grant: GrantNumber }> = [];
  /** While there are fewer statuses than this, none is looked at. */
  notBefore = 0;
  /** Until then none is looked at either: so many were looked at in vain. */
  restsUntil: Instant | null = null;

  /** A call has used it. */
  touch(fid: Fid, now: Instant): void {
    this.#used.set(fid, now);
  }

  /** Whether it was used since the hand was there last. If that is a while ago, it has to be used again. */
  takeUsed(fid: Fid, now: Instant): boolean {
    const used = this.#used.get(fid);
    if (used === undefined) return false;
    if (now - used >= KEPT_AFTER_USE) this.#used.delete(fid);
    this.#isFruitful = true;
    return true;
  }

  /** No more marks than there are statuses: those of what has gone otherwise would stay. */
  bound(statuses: number): void {
    if (this.#used.size <= statuses + SPARE_MARKS) return;
    for (const fid of this.#used.keys()) {
      if (this.#used.size <= statuses) return;
      this.#used.delete(fid);
    }
  }

  /** Nothing of what was looked at could be forgotten. */
  rest(now: Instant): void {
    this.restsUntil = after(now, FORGET_AGAIN);
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
