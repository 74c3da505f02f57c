/**
 * How much of contents the link is given ahead of what it is sending (rule W4).
 *
 * What waits in the queue goes out in its turn, and a later save of the same file takes its place; what was given to the link may have been sent
 * (W5). On a slow line the stores that may be under way at once are half a minute of it: of a file saved twice in that time both versions were sent,
 * and a reader elsewhere waited for both.
 *
 * So a store is handed over when what goes before it there is less than this window, which follows how long contents stand in the link before the
 * first of them has arrived: longer than STORE_WAIT halves it; less than that doubles it, where it was what kept others back.
 *
 * Invariants
 * 1. What nothing goes before is never kept back, so something moves as long as there is something to send.
 * 2. It changes once for what was handed over since its last change: earlier stores measure the window before it.
 */
import { elapsed, type Instant } from '../../../shared/model/time.ts';
import {
  STORE_BYTES_IN_FLIGHT,
  STORE_WAIT,
  STORE_WINDOW_FIRST,
  STORE_WINDOW_LEAST,
} from '../../limits.ts';

/** Adapts how many bytes of contents may be handed to the link ahead of the line. */
export class StoreWindow {
  #bytes = STORE_WINDOW_FIRST;
  #since: Instant | null = null;
  #keptBack = false;

  get bytes(): number {
    return this.#bytes;
  }

  /** `before`: bytes of contents that go before it in the link. */
  lets(before: number): boolean {
    if (before < this.#bytes) return true;
    this.#keptBack = true;
    return false;
  }

  /** The first contents of a store have arrived. `isFirst`: nothing that was handed over earlier stands still. */
  began(handedAt: Instant, now: Instant, isFirst: boolean): void {
    if (this.#since !== null && handedAt < this.#since) return;
    const isLate = elapsed(handedAt, now) > STORE_WAIT;
    if (!isLate && !(isFirst && this.#keptBack)) return;
    const bytes = isLate ? this.#bytes / 2 : this.#bytes * 2;
    this.#bytes = Math.min(Math.max(bytes, STORE_WINDOW_LEAST), STORE_BYTES_IN_FLIGHT);
    this.#since = now;
    this.#keptBack = false;
  }
}
