/** A limit on the contents that leave on a connection (contract 12 of the Transport port): a bucket of credit, as the real one has. */
import { limitBurst } from '../../../../shared/ports/transport.ts';

/** A packet, or what the rate gives in so many seconds, leaves at a time. */
const PIECE_BYTES = 1_200;
const PIECE_SECONDS = 0.05;

/** Tells how many bytes of contents may leave now, and when more may. */
export class Limit {
  #rate: number | null = null;
  #credit = 0;
  #at = 0;

  get rate(): number | null {
    return this.#rate;
  }

  /** `now`: milliseconds. null: no limit. */
  set(rate: number | null, now: number): void {
    this.#refill(now);
    const burst = rate === null ? 0 : limitBurst(rate);
    this.#credit = this.#rate === null ? burst : Math.min(this.#credit, burst);
    this.#rate = rate;
  }

  /** So many bytes of `wanted` may leave now; 0: it is to wait. */
  room(wanted: number, now: number): number {
    if (this.#rate === null) return wanted;
    this.#refill(now);
    // What is short by a part of a byte is not waited for.
    return this.#credit + 1 > this.#piece(wanted) ? Math.min(wanted, Math.floor(this.#credit)) : 0;
  }

  /** In so many milliseconds there is room. */
  waitFor(wanted: number): number {
    if (this.#rate === null) return 0;
    return Math.max(1, Math.ceil(((this.#piece(wanted) - this.#credit) * 1000) / this.#rate));
  }

  spent(bytes: number): void {
    if (this.#rate !== null) this.#credit -= bytes;
  }

  #piece(wanted: number): number {
    return Math.min(wanted, Math.max(PIECE_BYTES, (this.#rate ?? 0) * PIECE_SECONDS));
  }

  #refill(now: number): void {
    if (this.#rate !== null) {
      const grown = (this.#rate * Math.max(now - this.#at, 0)) / 1000;
      this.#credit = Math.min(this.#credit + grown, limitBurst(this.#rate));
    }
    this.#at = Math.max(this.#at, now);
  }
}
