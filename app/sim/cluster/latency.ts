/** How long the disks of simulated machines take: each answer at a random time, from a stream of its own. */
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { VirtualTime } from '../clock/virtual-time.ts';

export type Later = (run: () => void) => void;

export interface Latency {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly label: string;
  /** Answers come within this time; 0: at once. */
  readonly mostMs: number;
}

/** Answers overtake each other. */
export function anyOrder({ time, random, label, mostMs }: Latency): Later {
  if (mostMs <= 0) return (run) => run();
  return (run) => void time.in(random.fraction() * mostMs, label, run);
}

/** Answers come in the order of the questions. */
export function inOrder({ time, random, label, mostMs }: Latency): Later {
  if (mostMs <= 0) return (run) => run();
  let last = 0;
  return (run) => {
    last = Math.max(last, time.now() + random.fraction() * mostMs);
    time.at(last, label, run);
  };
}
