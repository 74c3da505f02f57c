/** How long the disks of simulated machines take: each answer at a random time, from a stream of its own. */
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { Schedule } from '../clock/virtual-time.ts';

export type Later = (run: () => void) => void;

/** Answers come within this time; 0: at once. */
export class Pace {
  readonly #usualMs: number;
  /** What faults add, for as long as they last. */
  extraMs = 0;

  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  get mostMs(): number {
    return this.#usualMs + this.extraMs;
  }
}

export interface Latency {
  readonly time: Schedule;
  readonly random: SeededRandom;
  readonly label: string;
  readonly pace: Pace;
}

/** Answers overtake each other. */
export function anyOrder({ time, random, label, pace }: Latency): Later {
  return (run) => {
    if (pace.mostMs <= 0) run();
    else time.in(random.fraction() * pace.mostMs, label, run);
  };
}

/** Answers come in the order of the questions. */
export function inOrder({ time, random, label, pace }: Latency): Later {
  let last = 0;
  let waiting = 0;
  return (run) => {
    if (pace.mostMs <= 0 && waiting === 0) return run();
    last = Math.max(last, time.now() + random.fraction() * pace.mostMs);
    waiting += 1;
    time.at(last, label, () => {
      waiting -= 1;
      run();
    });
  };
}
