/**
 * A simulated world: one time, one seed, one trace. It runs event by event, and after each lets the promises of the
 * programs in it run out (app/lab/simulator/clock/drain.ts), so that one seed is one history.
 *
 * Every run has a step limit: a world that never comes to rest fails loudly and shows what it was doing.
 */
import type { Duration, Instant } from '../../../shared/model/time.ts';
import { after } from '../../../shared/model/time.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { drained, whenDrained } from './clock/drain.ts';
import { EventTrace } from './clock/event-trace.ts';
import { VirtualTime } from './clock/virtual-time.ts';

const DEFAULT_STEP_LIMIT = 2_000_000;
const SHOWN_LINES = 30;

/** Says that a world did not come to rest, with its last events. */
export class WorldStuck extends Error {
  constructor(why: string, world: World) {
    const lines = world.trace.recent(SHOWN_LINES).join('\n  ');
    super(`${why} (seed ${world.seed}, at ${world.time.now()} ms)\n  ${lines}`);
    this.name = 'WorldStuck';
  }
}

export interface RunOptions {
  /** Fails after so many events. */
  readonly stepLimit?: number;
  /** Fails when this much virtual time has passed. */
  readonly within?: Duration;
}

/** Runs the events of one seed in order, each with all promises that follow from it. */
export class World {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly time = new VirtualTime();
  readonly trace = new EventTrace();
  /** Errors of code that no caller waits for: the next run throws them. */
  readonly #faults: unknown[] = [];
  readonly #countdowns = new Set<{ left: number; readonly run: () => void }>();
  /** The time as lines show it. */
  #shown = { at: Number.NaN, text: '' };

  constructor(seed: number) {
    this.seed = seed;
    this.random = new SeededRandom(seed);
  }

  note(line: string): void {
    const at = this.time.now();
    if (at !== this.#shown.at) this.#shown = { at, text: `${at.toFixed(3)} ` };
    this.trace.note(this.#shown.text + line);
  }

  /** A program in the world broke: the run must not go on as if nothing had happened. */
  fault(error: unknown): void {
    this.#faults.push(error);
  }

  /** Runs between two events, when so many more have happened. Gives how to forget it. */
  afterEvents(count: number, run: () => void): () => void {
    const countdown = { left: count, run };
    this.#countdowns.add(countdown);
    return () => void this.#countdowns.delete(countdown);
  }

  /** Lets everything happen that happens without time passing or events. */
  async settle(): Promise<void> {
    await drained();
    if (this.#faults.length > 0) throw this.#faults.shift();
  }

  /** One event and all that follows from it at once. False: there is none. */
  async step(): Promise<boolean> {
    const event = this.time.step();
    if (event === null) return false;
    if (!event.inner) {
      this.note(event.label);
      await this.settle();
    }
    if (this.#countdowns.size > 0) await this.#countDown();
    return true;
  }

  /** Until nothing is left to happen. With programs that renew leases that is never: see `runUntil`. */
  async runUntilIdle(options: RunOptions = {}): Promise<void> {
    await this.#run(() => false, 'does not come to rest', options, 'idle');
  }

  /** Until the predicate holds; it is asked after each event. */
  async runUntil(holds: () => boolean, what: string, options: RunOptions = {}): Promise<void> {
    await this.#run(holds, `waits in vain: ${what}`, options, 'predicate');
  }

  /** Until the promise is settled; gives its value, or throws its reason. */
  async runFor<T>(promise: Promise<T>, what: string, options: RunOptions = {}): Promise<T> {
    let done = false;
    const finished = (): void => {
      done = true;
    };
    promise.then(finished, finished);
    await this.runUntil(() => done, what, options);
    return promise;
  }

  /** Lets time pass. */
  async pass(duration: Duration, options: RunOptions = {}): Promise<void> {
    await this.runUntilTime(after(this.time.now(), duration), options);
  }

  async runUntilTime(end: Instant, options: RunOptions = {}): Promise<void> {
    const due = (): boolean => (this.time.next() ?? Number.POSITIVE_INFINITY) > end;
    await this.#run(due, 'does not reach the time', options, 'idle');
    this.time.skipTo(end);
  }

  async #countDown(): Promise<void> {
    for (const countdown of this.#countdowns) {
      countdown.left -= 1;
      if (countdown.left > 0) continue;
      this.#countdowns.delete(countdown);
      countdown.run();
      await this.settle();
    }
  }

  async #run(
    holds: () => boolean,
    failure: string,
    options: RunOptions,
    end: 'idle' | 'predicate',
  ): Promise<void> {
    const limit = options.stepLimit ?? DEFAULT_STEP_LIMIT;
    const deadline =
      options.within === undefined
        ? Number.POSITIVE_INFINITY
        : after(this.time.now(), options.within);
    await this.settle();
    let steps = 0;
    const isOver = (): boolean => {
      if (holds()) return true;
      if (steps >= limit) throw new WorldStuck(`${failure}: ${limit} events were not enough`, this);
      steps += 1;
      const next = this.time.next();
      if (next === null && end === 'idle') return true;
      if (next === null) throw new WorldStuck(`${failure}: nothing happens any more`, this);
      if (next > deadline) throw new WorldStuck(`${failure}: not in the time given`, this);
      return false;
    };
    // What counts down is rare.
    while (!(await this.#runEvents(isOver))) await this.#countDown();
  }

  /**
   * One event after the other, as `step` does it; false: what counts down has one less before it. This is where the time of
   * a run goes: for each event a function is called again, and no `await` has its price.
   */
  #runEvents(isOver: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const drainAndGoOn = whenDrained(() => {
        try {
          if (this.#faults.length > 0) reject(errorOf(this.#faults.shift()));
          else if (this.#countdowns.size > 0) resolve(false);
          else goOn();
        } catch (error) {
          reject(errorOf(error));
        }
      });
      const goOn = (): void => {
        while (!isOver()) {
          const event = this.time.step();
          if (event?.inner === false) {
            this.note(event.label);
            return drainAndGoOn();
          }
          if (this.#countdowns.size > 0) return resolve(false);
        }
        resolve(true);
      };
      goOn();
    });
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
