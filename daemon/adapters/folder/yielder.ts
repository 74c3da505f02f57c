/** Lets other work of the daemon run in between, when a long loop has kept the thread for its slice of time. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Duration } from '../../../shared/model/time.ts';

/** Lets other work run after each time slice of a long loop. */
export class Yielder {
  readonly #clock: Clock;
  readonly #slice: Duration;
  #since: number;

  constructor(clock: Clock, slice: Duration) {
    this.#clock = clock;
    this.#slice = slice;
    this.#since = clock.now();
  }

  /** The loop has run for a whole slice since it last yielded. */
  get isDue(): boolean {
    return this.#clock.now() - this.#since >= this.#slice;
  }

  /** Resolves when what else was ready to run has run. */
  async yield(): Promise<void> {
    await setImmediate();
    this.#since = this.#clock.now();
  }
}
