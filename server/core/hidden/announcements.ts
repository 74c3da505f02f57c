/**
 * What one connection has reported of hidden updates, in the order of its messages (rules S2, S4).
 *
 * Each message is a stream of its own, so they may arrive in another order. They are numbered, and of what two say of one vnode the
 * later one counts, whichever comes first.
 *
 * Invariants
 * 1. `says` is true once at most for each vnode and number, and never for a number below one for which it was true.
 * 2. `takeWhole` gives what is marked without an update by the end of a message that ends a report of everything, once all messages up to it are here.
 * 3. Kept is what messages said that came before an earlier one, ANNOUNCEMENTS_AHEAD of them at most, and a vnode for each mark without an
 *    update: a device that leaves numbers out, by mistake or not, takes no more memory than that.
 * 4. The end of a mark counts once all messages before its own are here, unless a later one has marked the vnode again: it may say that all
 *    which was hidden under the mark has been reported one by one (S1), in a message that is still on its way.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { ANNOUNCEMENTS_AHEAD } from '../../limits.ts';

/** Orders the messages about hidden updates of one connection by their numbers. */
export class Announcements {
  /** By vnode, the highest message that said something of it, while an earlier one may still come. */
  readonly #saidBy = new Map<Fid, number>();
  /** All messages up to here are here; and those beyond. */
  #upTo = 0;
  readonly #beyond = new Set<number>();
  #wholeAt: number | null = null;
  #isWhole: boolean;
  /** By vnode, the message that ends its mark. */
  readonly #ends = new Map<Fid, number>();
  /** Vnodes whose marks end by the device's word alone, reported since everything was reported the last time. */
  #marked = new Set<Fid>();

  /** `hasMarks`: there are marks of an earlier connection, which may not be right any more. */
  constructor(hasMarks: boolean) {
    this.#isWhole = !hasMarks;
  }

  /** Everything that was hidden when the connection began has been reported. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Its device reports everything again: until that is done, more is hidden than is known. */
  beginAgain(): void {
    this.#isWhole = false;
  }

  /** A message has arrived. False: it has arrived before, or too many later ones are here, and it is ignored. */
  arrived(number: number, complete: boolean): boolean {
    if (number <= this.#upTo || this.#beyond.has(number)) return false;
    if (this.#beyond.size === 0) this.#saidBy.clear();
    this.#beyond.add(number);
    if (this.#beyond.size > ANNOUNCEMENTS_AHEAD) this.#upTo = Math.min(...this.#beyond) - 1;
    while (this.#beyond.delete(this.#upTo + 1)) this.#upTo += 1;
    if (complete) this.#wholeAt = Math.max(this.#wholeAt ?? 0, number);
    return true;
  }

  /** Does what this message says of the vnode count? */
  says(number: number, fid: Fid): boolean {
    if ((this.#saidBy.get(fid) ?? 0) >= number) return false;
    this.#saidBy.set(fid, number);
    this.#ends.delete(fid);
    return true;
  }

  /** What `says` is true of, and is an end. */
  ends(number: number, fid: Fid): void {
    this.#ends.set(fid, number);
  }

  /** Vnodes whose marks end by now, each once. */
  takeEnded(): Fid[] {
    const due = [...this.#ends].filter(([, number]) => number <= this.#upTo).map(([fid]) => fid);
    for (const fid of due) {
      this.#ends.delete(fid);
      this.#marked.delete(fid);
    }
    return due;
  }

  /** It was marked with no update to end that. */
  marked(fid: Fid): void {
    this.#marked.add(fid);
  }

  /** Those that are marked so, where everything has been reported by now; null: not yet, or that was taken before. */
  takeWhole(): ReadonlySet<Fid> | null {
    if (this.#wholeAt === null || this.#upTo < this.#wholeAt) return null;
    this.#wholeAt = null;
    this.#isWhole = true;
    const marked = this.#marked;
    this.#marked = new Set();
    return marked;
  }
}
