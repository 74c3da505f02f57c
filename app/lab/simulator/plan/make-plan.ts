/**
 * A seed's plan. Each run has its own mix (swarm testing: Groce et al., "Swarm Testing", 2012): some kinds of operations and
 * of faults are left out of it and others are frequent, so that what a fair mix would drown is met as well.
 */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FaultFamily } from '../fault/fault.ts';
import { NAMED_FAULTS } from '../fault/faults.ts';
import { drawnOperations } from '../workload/draw-operation.ts';
import { drawnCacheOperations } from '../workload/draw-cache-operation.ts';
import { drawnLateSaves } from '../workload/draw-late-save.ts';
import { drawnReadings } from '../workload/draw-reading.ts';
import { drawnSharingOperations } from '../workload/draw-sharing-operation.ts';
import { drawnLaptops } from '../workload/drawn-laptops.ts';
import type { LaptopOptions } from '../workload/drawn-laptops.ts';
import { drawnPace } from '../workload/drawn-pace.ts';
import type { FaultEvent, Plan, PlanEntry, PlanSettings } from './plan.ts';

export interface PlanOptions {
  readonly seed: number;
  /** Operations of programs. */
  readonly steps: number;
  /** Left out: as many as the seed has it. */
  readonly laptops?: number;
  /** Families that the run may have. */
  readonly faults: readonly FaultFamily[];
}

/** Faults for each operation, on average. */
const FAULT_CHANCES = [0, 0.005, 0.02, 0.05];
/** Of each family that is named, beside an operation. */
const NAMED_CHANCE = 0.15;
/** Wall clocks are off by so much at most. */
const SKEWS_S = [1, 1, 60, 86_400, 1_000_000_000];
/** Null: all that is fetched is kept. */
const CACHE_BYTES = [null, null, null, 0, 5_000, 50_000];
/** Contents of a run are so small that with the second bound half of them, and with the third none go in parts: those may go together (StoreMany). */
const PARTIAL_FROM = [null, 2_000, 1_000_000];
const DISK_BYTES = [null, null, null, 20_000, 200_000];
/** Contents of a run are so small that one packet takes most of them: here a break meets them on their way. */
const SMALL_PACKETS = { packetBytes: 64, bytesPerSecond: 100_000 };
/** Operations that are drawn beside those of programs have numbers from here on: those stay as they are. */
const BESIDE = 1_000_000;
/** Between the steps of a script. */
const STEP_MS = [0, 0, 1, 10, 100];

/** Draws the plan of a seed: its settings, its operations and its faults. */
export function makePlan({ seed, steps, laptops, faults }: PlanOptions): Plan {
  const random = new SeededRandom(seed);
  const times = drawTimes(random.fork('pace'), steps);
  const endMs = times.at(-1) ?? 0;
  const settings = drawSettings(random.fork('settings'), { laptops: laptops ?? null, endMs });
  return { seed, settings, entries: drawEntries(random, settings, { times, faults }) };
}

function drawSettings(random: SeededRandom, options: LaptopOptions): PlanSettings {
  const [wall, quality, packets] = [
    random.fork('wall'),
    random.fork('quality'),
    random.fork('packets'),
  ];
  const cacheBytes = random.fork('cache').pick(CACHE_BYTES);
  const diskBytes = random.fork('disk room').pick(DISK_BYTES);
  const partialFrom = random.fork('partial').pick(PARTIAL_FROM);
  const skew = (): number => wall.pick([1_000, -1_000]) * wall.below(wall.pick(SKEWS_S));
  return {
    laptops: drawnLaptops(random.fork('laptops'), options).map((laptop) => ({
      ...laptop,
      wallSkewMs: skew(),
    })),
    diskMs: random.pick([0, 2, 20]),
    ...(partialFrom === null ? {} : { partialFrom }),
    ...(cacheBytes === null ? {} : { cacheBytes }),
    ...(diskBytes === null ? {} : { diskBytes }),
    ...drawSharing(random.fork('sharing')),
    network: {
      delayMs: random.pick([1, 10, 80]),
      bytesPerSecond: random.pick([null, 500_000, 50_000]),
      jitterMs: quality.pick([0, 0, 5, 100]),
      loss: quality.pick([0, 0, 0.02, 0.1]),
      ...packets.pick([{}, {}, SMALL_PACKETS]),
    },
    serverWallSkewMs: skew(),
  };
}

/** What is shared is forgotten within the run, mostly, and read again. */
function drawSharing(random: SeededRandom): Pick<PlanSettings, 'sharePeriodMs' | 'readerWaitMs'> {
  const [sharePeriodMs, readerWaitMs] = [
    random.pick([null, 1_000, 20_000]),
    random.pick([null, null, 500]),
  ];
  return {
    ...(sharePeriodMs === null ? {} : { sharePeriodMs }),
    ...(readerWaitMs === null ? {} : { readerWaitMs }),
  };
}

function drawTimes(random: SeededRandom, count: number): number[] {
  const pace = drawnPace(random);
  const times: number[] = [];
  for (let at = 0; times.length < count; at += pace()) times.push(at);
  return times;
}

function drawEntries(
  random: SeededRandom,
  settings: PlanSettings,
  { times, faults }: { readonly times: readonly number[]; readonly faults: readonly FaultFamily[] },
): PlanEntry[] {
  const trouble = random.fork('faults');
  const named = NAMED_FAULTS.filter((family) => faults.includes(family));
  const ofNamed = drawnBeside(random.fork('named faults'), named, settings);
  const families = chosen(
    trouble,
    faults.filter((family) => !named.includes(family)),
  );
  const faultChance = trouble.pick(FAULT_CHANCES);
  const operations = drawnOperations(random.fork('operations'), settings);
  const cache = random.fork('cache operations');
  const sharing = random.fork('sharing operations');
  const names = (): SeededRandom => random.fork('operations').fork('names');
  const ofCache = drawnCacheOperations(cache, names(), settings);
  const ofSharing = drawnSharingOperations(sharing, names(), settings);
  const ofReading = drawnReadings(random.fork('readings'), names(), settings);
  const ofLate = drawnLateSaves(random.fork('late saves'), names(), settings);
  const stepMs = random.fork('steps').pick(STEP_MS);
  const entries: PlanEntry[] = [];
  let number = 0;
  let beside = BESIDE;
  for (const at of times) {
    if (number >= times.length) break;
    if (families.length > 0 && trouble.chance(faultChance)) {
      const fault = trouble.pick(families).draw(trouble, settings);
      entries.push({ at, kind: 'fault', fault });
    }
    for (const fault of ofNamed()) entries.push({ at, kind: 'fault', fault });
    for (const next of [...ofCache(), ...ofSharing(), ...ofReading(), ...ofLate()]) {
      entries.push({ at, kind: 'operation', number: ++beside, ...next });
    }
    for (const [i, next] of operations().entries()) {
      entries.push({ at: at + i * stepMs, kind: 'operation', number: ++number, ...next });
    }
  }
  return entries.sort((a, b) => a.at - b.at);
}

/** Events of families that a run has only where they are named. */
function drawnBeside(
  random: SeededRandom,
  families: readonly FaultFamily[],
  settings: PlanSettings,
): () => FaultEvent[] {
  return () =>
    families.flatMap((family) =>
      random.chance(NAMED_CHANCE) ? [family.draw(random, settings)] : [],
    );
}

/** The families of this run, each as often as it weighs. */
function chosen(random: SeededRandom, faults: readonly FaultFamily[]): FaultFamily[] {
  const usual = faults.filter(({ weight }) => weight > 0);
  // What weighs nothing is drawn only where nothing else is asked for.
  if (usual.length === 0) return [...faults];
  const some = usual.filter(() => random.chance(0.6));
  const taken = some.length === 0 ? usual : some;
  return taken.flatMap((family) => Array.from({ length: family.weight }, () => family));
}
