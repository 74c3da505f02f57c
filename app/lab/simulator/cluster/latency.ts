/** How long the disks of simulated machines take: each answer at a random time, from a stream of its own. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Later } from '../clock/later.ts';
import type { Schedule } from '../clock/virtual-time.ts';

/** Answers come within this time; 0: at once. */
export class Pace {
  readonly #usualMs: number;
  /** What faults add, for as long as they last. */
  extraMs = 0;
  /** What is added for an answer that waits until something is on the disk. */
  syncMs = 0;

  constructor(usualMs: number) {
    this.#usualMs = usualMs;
  }

  mostMs(syncs = false): number {
    return this.#usualMs + this.extraMs + (syncs ? this.syncMs : 0);
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
  return (run, syncs) => {
    const most = pace.mostMs(syncs);
    if (most <= 0) run();
    else time.in(random.fraction() * most, label, run);
  };
}

/** Answers come in the order of the questions. */
export function inOrder({ time, random, label, pace }: Latency): Later {
  let last = 0;
  let waiting = 0;
  return (run, syncs) => {
    const most = pace.mostMs(syncs);
    if (most <= 0 && waiting === 0) return run();
    last = Math.max(last, time.now() + random.fraction() * most);
    waiting += 1;
    time.at(last, label, () => {
      waiting -= 1;
      run();
    });
  };
}
