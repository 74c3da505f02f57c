import { milliseconds } from '../../shared/model/time.ts';
import type { Clock, Timers } from '../../shared/ports/clock.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

/** Rejects calls that take longer than their limit, in milliseconds. A limit of null never ends. */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #timers: Timers;

  constructor({ clock, timers }: { readonly clock: Clock; readonly timers: Timers }) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Rejects `timed-out` if the work takes longer than `timeoutMs` (null: no limit). `left` gives the remaining milliseconds. */
  async within(
    timeoutMs: number | null,
    work: (left: () => number | null) => Promise<void>,
  ): Promise<void> {
    if (timeoutMs === null) return work(() => null);
    const end = this.#clock.now() + timeoutMs;
    const left = (): number => Math.max(end - this.#clock.now(), 0);
    let late: (error: unknown) => void;
    const limit = new Promise<never>((_, reject) => (late = reject));
    const timer = this.#timers.start(milliseconds(timeoutMs), () =>
      late(new GodwitError('timed-out', 'not everything was synced in the time given')),
    );
    try {
      await Promise.race([work(left), limit]);
    } finally {
      timer.cancel();
    }
  }
}
