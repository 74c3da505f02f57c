/**
 * What one connection has told of hidden updates, in the order in which it was said (rules S2, S4).
 *
 * Each message is a stream of its own and may be overtaken by the next one. So messages are numbered, and of what two say of one vnode the
 * later one counts, whichever comes first.
 *
 * Invariants
 * 1. `says` is true once at most for each vnode and number, and never for a number below one for which it was true.
 * 2. `takeWhole` gives what was told by the end of a message that ends the telling, once all messages up to it are here.
 */
import type { Fid } from '../../../shared/model/fid.ts';

export class Announcements {
  /** By vnode, the highest number that said something of it; since the last time when everything was told. */
  readonly #saidBy = new Map<Fid, number>();
  /** All messages up to here are here; and those beyond. */
  #upTo = 0;
  readonly #beyond = new Set<number>();
  #wholeAt: number | null = null;

  /** A message is here. False: it is one that was here before. */
  arrived(number: number, complete: boolean): boolean {
    if (number <= this.#upTo || this.#beyond.has(number)) return false;
    this.#beyond.add(number);
    while (this.#beyond.delete(this.#upTo + 1)) this.#upTo += 1;
    if (complete) this.#wholeAt = Math.max(this.#wholeAt ?? 0, number);
    return true;
  }

  /** Does what this message says of the vnode count? */
  says(number: number, fid: Fid): boolean {
    if ((this.#saidBy.get(fid) ?? 0) >= number) return false;
    this.#saidBy.set(fid, number);
    return true;
  }

  /** The vnodes that something was said of, where everything has been told by now; null: not yet, or that was taken before. */
  takeWhole(): ReadonlySet<Fid> | null {
    if (this.#wholeAt === null || this.#upTo < this.#wholeAt) return null;
    this.#wholeAt = null;
    const said = new Set(this.#saidBy.keys());
    this.#settle();
    return said;
  }

  /** Nothing older can come: what was said needs no number any more. */
  #settle(): void {
    if (this.#beyond.size === 0) this.#saidBy.clear();
  }
}
