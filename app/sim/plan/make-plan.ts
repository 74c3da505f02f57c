/**
 * A seed's plan. Each run has its own mix (swarm testing: Groce et al., "Swarm Testing", 2012): some kinds of operations and
 * of faults are left out of it and others are frequent, so that what a fair mix would drown is met as well.
 */
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { FaultFamily } from '../fault/fault.ts';
import { drawnOperations } from '../workload/draw-operation.ts';
import type { Plan, PlanEntry, PlanSettings } from './plan.ts';

export interface PlanOptions {
  readonly seed: number;
  /** Operations of programs. */
  readonly steps: number;
  readonly laptops: number;
  /** Families that the run may have. */
  readonly faults: readonly FaultFamily[];
}

const LONGEST_PAUSE_MS = 400;
/** Faults for each operation, on average. */
const FAULT_CHANCES = [0, 0.005, 0.02, 0.05];

export function makePlan({ seed, steps, laptops, faults }: PlanOptions): Plan {
  const random = new SeededRandom(seed);
  const settings = drawSettings(random.fork('settings'), laptops);
  return { seed, settings, entries: drawEntries(random, settings, { steps, faults }) };
}

function drawSettings(random: SeededRandom, laptops: number): PlanSettings {
  const frontEnd = random.pick(['folder', 'folder', 'none'] as const);
  return {
    laptops: Array.from({ length: laptops }, () => ({ volume: 1, rights: 'write', frontEnd })),
    diskMs: random.pick([0, 2, 20]),
    network: {
      delayMs: random.pick([1, 10, 80]),
      bytesPerSecond: random.pick([null, 500_000, 50_000]),
    },
  };
}

function drawEntries(
  random: SeededRandom,
  settings: PlanSettings,
  { steps, faults }: Pick<PlanOptions, 'steps' | 'faults'>,
): PlanEntry[] {
  const [pace, trouble] = [random.fork('pace'), random.fork('faults')];
  const families = chosen(trouble, faults);
  const faultChance = trouble.pick(FAULT_CHANCES);
  const operations = drawnOperations(random.fork('operations'), settings);
  const entries: PlanEntry[] = [];
  let at = 0;
  for (let number = 1; number <= steps; number++) {
    if (families.length > 0 && trouble.chance(faultChance)) {
      const fault = trouble.pick(families).draw(trouble, settings);
      entries.push({ at, kind: 'fault', fault });
    }
    entries.push({ at, kind: 'operation', number, ...operations() });
    at += pace.below(LONGEST_PAUSE_MS);
  }
  return entries;
}

/** The families of this run, each as often as it weighs. */
function chosen(random: SeededRandom, faults: readonly FaultFamily[]): FaultFamily[] {
  const some = faults.filter(() => random.chance(0.6));
  const taken = some.length === 0 ? faults : some;
  return taken.flatMap((family) => Array.from({ length: family.weight }, () => family));
}
