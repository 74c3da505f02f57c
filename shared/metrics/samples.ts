/**
 * Keeps what counters were now and then, so that somebody can be told what they came to in the last hour. Each minute of the last hour is there,
 * and each quarter of an hour of the last day. What is older is dropped. A sample has only the numbers that are not zero, and one that is
 * the same as the one before shares it.
 *
 * Invariants
 * 1. Counters only grow, so the difference of two samples is what came between.
 * 2. There are at most MOST_SAMPLES samples, the oldest first.
 */
import type { Clock, TimerHandle, Timers } from '../ports/clock.ts';
import { elapsed, milliseconds, type Instant, type WallTime } from '../model/time.ts';

const MINUTE = 60_000;
/** Each sample is kept so long. */
const ALL_FOR = 60 * MINUTE;
/** And each of so many after that. */
const EACH_OF = 15;
/** A day, and what its first quarter of an hour needs. */
const SOME_FOR = 24 * 60 * MINUTE + EACH_OF * MINUTE;
export const MOST_SAMPLES = ALL_FOR / MINUTE + SOME_FOR / (EACH_OF * MINUTE) + 2;

interface Sample {
  readonly at: Instant;
  readonly number: number;
  readonly places: Uint16Array;
  readonly values: Float64Array;
}

/** What counters came to between two times. */
export interface Since {
  /** The time of the sample that it counts from. */
  readonly since: WallTime;
  readonly until: WallTime;
  /** It counts from the start of the program: there is no older sample. */
  readonly isSinceStart: boolean;
  readonly values: Float64Array;
}

/** Takes a sample each minute, until it is closed. */
export class Samples {
  readonly #read: () => Float64Array;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #samples: Sample[] = [];
  readonly #start: Instant;
  #taken = 0;
  #timer: TimerHandle;

  /** `read` gives the counters as they are, always as many, at most 65,535, and the first time zeros or what counts as the start. */
  constructor(read: () => Float64Array, { clock, timers }: { clock: Clock; timers: Timers }) {
    this.#read = read;
    this.#clock = clock;
    this.#timers = timers;
    this.#start = clock.now();
    this.#timer = this.#next();
  }

  /** How many samples there are. */
  get count(): number {
    return this.#samples.length;
  }

  /** What came in the last `ms` milliseconds, or in a little more: from the newest sample that is as old. Null: since the start. */
  since(ms: number | null): Since {
    const now = this.#clock.now();
    const from = ms === null ? undefined : this.#samples.findLast(({ at }) => now - at >= ms);
    const values = this.#read().slice();
    from?.places.forEach((place, index) => {
      values[place] = (values[place] ?? 0) - (from.values[index] ?? 0);
    });
    const until = this.#clock.wall();
    const since = (until - elapsed(from?.at ?? this.#start, now)) as WallTime;
    return { since, until, isSinceStart: from === undefined, values };
  }

  close(): void {
    this.#timer.cancel();
  }

  #next(): TimerHandle {
    return this.#timers.start(milliseconds(MINUTE), () => {
      this.#take();
      this.#timer = this.#next();
    });
  }

  #take(): void {
    const at = this.#clock.now();
    this.#taken += 1;
    const { places, values } = this.#compact();
    this.#samples.push({ at, number: this.#taken, places, values });
    const isKept = ({ at: then, number }: Sample): boolean => {
      const age = at - then;
      return age < ALL_FOR || (number % EACH_OF === 0 && age < SOME_FOR);
    };
    const kept = this.#samples.filter(isKept);
    this.#samples.splice(0, this.#samples.length, ...kept);
  }

  #compact(): Pick<Sample, 'places' | 'values'> {
    const all = this.#read();
    const places = Uint16Array.from([...all.keys()].filter((place) => all[place] !== 0));
    const values = Float64Array.from(places, (place) => all[place] ?? 0);
    const last = this.#samples.at(-1);
    return last !== undefined && isSame(last, { places, values }) ? last : { places, values };
  }
}

/** Counters only grow, so as many places are the same places. */
function isSame(
  a: Pick<Sample, 'places' | 'values'>,
  b: Pick<Sample, 'places' | 'values'>,
): boolean {
  return a.places.length === b.places.length && a.values.every((v, index) => v === b.values[index]);
}
