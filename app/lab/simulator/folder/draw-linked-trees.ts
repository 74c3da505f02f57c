/**
 * Draws plans of a laptop that is alone, with trees of hard links that are made, moved, exchanged and removed, while its daemon dies and its disk is read-only.
 * Then nothing but the programs changes the folder, so it must stay as it was left (check/as-it-was-left.ts).
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FolderEntry, FolderFault, FolderPlan, FolderSettings } from './folder-plan.ts';

const PROGRAMS = ['extract-linked', 'unlinks', 'remakes', 'swaps-trees'] as const;
const FILE_SYSTEMS = ['ext4', 'xfs', 'btrfs', 'tmpfs'] as const;
/** Disks without times of birth are left out: where numbers are given again, some new names are found late. */
const INNER = [null, null, 'ext4', 'btrfs'] as const;
/** Few write the records in the midst of removals: then they are met. */
const BATCHES = [null, null, 1, 5];
const PAUSES_MS = [5, 60, 400, 1500];
const FAULT_CHANCES = [0, 0.1, 0.3];
const FLUSH_CHANCE = 0.1;
const MOST_SEED = 2 ** 31;
const HELD = 100;

const downMs = (random: SeededRandom): number => random.pick([0, 100, 3000]);

const FAULTS: ReadonlyArray<(random: SeededRandom) => FolderFault> = [
  (random) => ({
    do: 'crash-at-call',
    calls: random.between(1, random.pick([20, 200])),
    downMs: downMs(random),
  }),
  (random) => ({ do: 'kill', downMs: downMs(random) }),
  (random) => ({ do: 'disk', what: { kind: 'read-only' }, lastsMs: random.pick([200, 3000]) }),
  (random) => ({ do: 'cut', lastsMs: random.pick([500, 5000]) }),
];

/** So many programs, with faults among them where some are wanted. */
export function makeLinkedPlan(
  random: SeededRandom,
  {
    seed,
    steps,
    hasFaults,
  }: { readonly seed: number; readonly steps: number; readonly hasFaults: boolean },
): FolderPlan {
  const settings = drawSettings(random.fork('settings'));
  const programs = random.fork('programs');
  const faults = random.fork('faults');
  const chance = hasFaults ? faults.pick(FAULT_CHANCES) : 0;
  const pauseMs = programs.pick(PAUSES_MS);
  const entries: FolderEntry[] = [];
  let at = 0;
  for (let step = 0; step < steps; step++) {
    at += programs.below(2 * pauseMs);
    const about = { at, laptop: 0 };
    const program = programs.pick(PROGRAMS);
    entries.push({ ...about, kind: 'program', program, seed: programs.below(MOST_SEED) });
    if (faults.chance(FLUSH_CHANCE)) entries.push({ ...about, kind: 'flush' });
    if (faults.chance(chance)) {
      entries.push({ ...about, kind: 'fault', ...faults.pick(FAULTS)(faults) });
    }
  }
  return { seed, settings, entries };
}

function drawSettings(random: SeededRandom): FolderSettings {
  const batchPaths = random.pick(BATCHES);
  return {
    laptops: 1,
    diskMs: random.pick([0, 2, 20]),
    paceMs: random.pick([1, 10, 50, 300]),
    betweenChance: random.pick([0, 0.02, 0.1]),
    networkMs: random.pick([1, 80]),
    fileSystem: random.pick(FILE_SYSTEMS),
    innerDisks: [random.pick(INNER)],
    watches: random.pick([{}, {}, { mostDelay: 200 }, { isReordered: true, mostDelay: 50 }]),
    isLong: false,
    cacheBytes: null,
    ...(batchPaths === null ? {} : { limits: { batchPaths, massRemovalFiles: HELD } }),
  };
}
