/**
 * The order of contents that a program waits for (fair sojourn protocol): the one that would finish first under round robin is sent first, and alone. So none finishes later
 * than by taking turns, and most are done sooner; what is short does not wait for what is long, and what is long is not put off for ever (the fair
 * sojourn protocol: Friedman and Henderson, "Fairness and efficiency in web server protocols", SIGMETRICS 2003, section 3).
 *
 * Invariants
 * 1. `turn` is how many bytes each of those in the imagined round has had; who has had its length leaves the round.
 * 2. Who was served early stays in the round until its turns are over: it has spared the others nothing.
 */
import type { SendOrder } from './send-order.ts';

/** Orders items by when each would finish under round robin. */
export class SojournOrder<T> implements SendOrder<T> {
  /** When the round is over for each that waits, in the measure of `turn`. */
  readonly #waiting = new Map<T, number>();
  /** The same of all that are in the round, the least first. */
  readonly #round: number[] = [];
  #turn = 0;
  #first: T | null = null;

  /** At equal ends who came first goes first. */
  add(item: T, bytes: number): void {
    const end = this.#turn + bytes;
    this.#waiting.set(item, end);
    this.#round.splice(this.#placeOf(end), 0, end);
    if (this.#waiting.size === 1) this.#first = item;
    else if (this.#first !== null && end < (this.#waiting.get(this.#first) ?? end)) {
      this.#first = item;
    }
  }

  first(): T | null {
    if (this.#first !== null) return this.#first;
    let least = Number.POSITIVE_INFINITY;
    for (const [item, end] of this.#waiting) {
      if (end >= least) continue;
      least = end;
      this.#first = item;
    }
    return this.#first;
  }

  served(_item: T, bytes: number): void {
    let left = bytes;
    while (left > 0) {
      const [next] = this.#round;
      if (next === undefined) return;
      const most = (next - this.#turn) * this.#round.length;
      if (most > left) {
        this.#turn += left / this.#round.length;
        return;
      }
      left -= most;
      this.#turn = next;
      this.#round.shift();
    }
  }

  done(item: T): void {
    this.#leaves(item);
  }

  remove(item: T): boolean {
    const end = this.#leaves(item);
    if (end === undefined) return false;
    const place = this.#placeOf(end) - 1;
    if (this.#round[place] === end) this.#round.splice(place, 1);
    return true;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#waiting.keys();
  }

  #leaves(item: T): number | undefined {
    const end = this.#waiting.get(item);
    this.#waiting.delete(item);
    if (this.#first === item) this.#first = null;
    if (this.#waiting.size === 0) {
      this.#round.length = 0;
      this.#turn = 0;
    }
    return end;
  }

  /** After all that are over by then. */
  #placeOf(end: number): number {
    let [low, high] = [0, this.#round.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#round[middle] ?? 0) <= end) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
