/** Saves what comes by and by: the first at once, and all that came in a pause after it together. */
import { elapsed, milliseconds, type Duration, type Instant } from '../../../shared/model/time.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { OneAtATime } from './remote/one-at-a-time.ts';

export interface SaveOftenParts {
  readonly clock: Clock;
  readonly save: () => Promise<void>;
  readonly delay: (length: Duration) => Promise<void>;
}

export class SaveOften {
  readonly #saving: OneAtATime;
  #last: Instant | null = null;

  constructor({ clock, save, delay }: SaveOftenParts, pause: Duration) {
    this.#saving = new OneAtATime(async () => {
      const since = this.#last === null ? pause : elapsed(this.#last, clock.now());
      if (since < pause) await delay(milliseconds(pause - since));
      await save();
      this.#last = clock.now();
    });
  }

  /** Resolves when everything that has changed until now is durable. */
  saved(): Promise<void> {
    return this.#saving.run();
  }
}
