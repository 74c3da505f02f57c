/** Which new files may go before large ones, and how much of them: the rest is in newcomers.ts. */
import type { Update } from '../../../shared/model/update.ts';
import { NEW_AHEAD, NEW_LEAST, SMALL_SAVE } from '../../limits.ts';

/** A store of these is offered to go before others (offer.ts). */
export function isSmallAndNew(update: Update): boolean {
  return update.op === 'store' && update.base === 0 && update.size <= SMALL_SAVE;
}

/**
 * Bounds the bytes of new files that may overtake large ones: at most NEW_AHEAD, regained as the
 * large ones move.
 */
export class Allowance {
  #bytes = NEW_AHEAD;

  lets(size: number): boolean {
    return costOf(size) <= this.#bytes;
  }

  spend(size: number): void {
    this.#bytes -= costOf(size);
  }

  /** So much has moved of what others go before. */
  regain(bytes: number): void {
    this.#bytes = Math.min(NEW_AHEAD, this.#bytes + bytes);
  }

  /** There is nothing that anybody could go before. */
  forget(): void {
    this.#bytes = NEW_AHEAD;
  }
}

const costOf = (size: number): number => Math.max(size, NEW_LEAST);
