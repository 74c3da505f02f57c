/**
 * How much a second something moved over the last moments: amounts fall into slots of time, and the rate is the mean of the slots that
 * are young enough. Nothing runs meanwhile, and what was added once costs nothing later. Times are milliseconds of any clock that never goes back.
 */
const SLOT_MS = 250;
/** Five seconds: one hiccup of a link does not show, and what has ended is no rate for long. */
const SLOTS = 20;
/** A rate covers a second at least: the first datagram of a burst is no burst. */
const LEAST_MS = 1000;

/** The sum of amounts over the last moments, in fixed slots of time; `now` is in milliseconds. */
export class RateWindow {
  readonly #sums = new Float64Array(SLOTS);
  /** Which slot of time each sum is of; slots that were never used are of none. */
  readonly #slots = new Float64Array(SLOTS).fill(-1);
  /** The youngest of them: most windows of a status are of what has not moved for long. */
  #last = -1;

  add(amount: number, now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    const at = slot % SLOTS;
    if (this.#slots[at] !== slot) this.#sums[at] = 0;
    this.#slots[at] = slot;
    this.#last = slot;
    this.#sums[at] = (this.#sums[at] ?? 0) + amount;
  }

  /** A whole number; 0 when nothing was added in the last five seconds. */
  perSecond(now: number): number {
    const oldest = Math.floor(now / SLOT_MS) - SLOTS + 1;
    if (this.#last < oldest) return 0;
    let sum = 0;
    let first = Infinity;
    for (let at = 0; at < SLOTS; at++) {
      const slot = this.#slots[at] ?? -1;
      if (slot < oldest) continue;
      sum += this.#sums[at] ?? 0;
      first = Math.min(first, slot);
    }
    if (sum === 0) return 0;
    return Math.round((sum * 1000) / Math.max(now - first * SLOT_MS, LEAST_MS));
  }
}
