/** Lets other work of the daemon run in between, when a long loop has kept the thread for its slice of time. */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Duration } from '../../../shared/model/time.ts';

/** Resolves when what else was ready to run has run, timers and events of the system included. */
export type LetOthersRun = () => Promise<void>;

/** Lets other work run after each time slice of a long loop. */
export class Yielder {
  readonly #clock: Clock;
  readonly #slice: Duration;
  readonly #letOthersRun: LetOthersRun;
  #since: number;

  constructor(clock: Clock, slice: Duration, letOthersRun: LetOthersRun) {
    this.#clock = clock;
    this.#slice = slice;
    this.#letOthersRun = letOthersRun;
    this.#since = clock.now();
  }

  /** The loop has run for a whole slice since it last yielded. */
  get isDue(): boolean {
    return this.#clock.now() - this.#since >= this.#slice;
  }

  /** Resolves when what else was ready to run has run. */
  async yield(): Promise<void> {
    await this.#letOthersRun();
    this.#since = this.#clock.now();
  }
}
