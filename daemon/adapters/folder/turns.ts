/** Who may touch the folder and the records: one at a time, in the order of asking. And bounded side-by-side work. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Duration } from '../../../shared/model/time.ts';

export class Turns {
  #last: Promise<void> = Promise.resolve();

  take<T>(work: () => Promise<T> | T): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  /** Resolves when everybody who asked so far is done. */
  idle(): Promise<void> {
    return this.#last;
  }
}

/** Runs `work` for each item, `width` at a time, begun in order. Rejects with the first failure, when all have ended. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const runner = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const item = items[next++] as T;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, runner));
  if (failures.length > 0) throw failures[0];
}

/** Lets other work of the daemon have its turn when this one has kept the thread too long. */
export class Breather {
  readonly #clock: Clock;
  readonly #slice: Duration;
  #since: number;

  constructor(clock: Clock, slice: Duration) {
    this.#clock = clock;
    this.#slice = slice;
    this.#since = clock.now();
  }

  get due(): boolean {
    return this.#clock.now() - this.#since >= this.#slice;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.#since = this.#clock.now();
  }
}
