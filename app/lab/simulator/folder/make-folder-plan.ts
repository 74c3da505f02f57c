/** Draws the plan of a seed: some kinds of programs are left out of a run, so that others are frequent; so are faults. */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { WatchTroubles } from '../posix/directory-watches.ts';
import {
  Commands,
  drawOtherDisks,
  drawSeldom,
  drawSizes,
  oddities,
  recordings,
} from './draw-commands.ts';
import { drawDisks, MachineFaults } from './draw-machine-faults.ts';
import { withExclusions } from './draw-exclusions.ts';
import { makeLinkedPlan } from './draw-linked-trees.ts';
import { withMounts } from './draw-mounted-faults.ts';
import type { FolderEntry, FolderFault, FolderPlan, FolderSettings } from './folder-plan.ts';
import { PROGRAMS } from './programs/programs.ts';
import type { ProgramKind } from './programs/program.ts';

export interface FolderPlanOptions {
  readonly seed: number;
  /** Programs that begin. */
  readonly steps: number;
  readonly hasFaults?: boolean;
  /** Further volumes are mounted in the folders; left out: none are. */
  readonly hasMounts?: boolean;
  /** People exclude folders; left out: nobody does. */
  readonly hasExclusions?: boolean;
}

const MOST_SEED = 2 ** 31;
const FAULT_CHANCES = [0, 0.02, 0.08, 0.2];
const FLUSH_CHANCE = 0.03;
/** Plans of a laptop that is alone with trees of hard links. */
const LINKED_CHANCE = 0.08;
/** Between the beginnings of two programs, by the pace of a run. */
const PAUSES_MS = [5, 60, 400];
const MOST_PAUSE_MS = 20_000;
/** What may be wrong with watches in a run: late, in another order, lost (told so or not), too few, none. */
const WATCHES: ReadonlyArray<Partial<WatchTroubles>> = [
  ...[{}, {}, {}, { mostDelay: 200 }, { isReordered: true, mostDelay: 50 }],
  ...[{ mostQueued: 8 }, { lossChance: 0.1 }, { mostWatches: 3 }, { mostSets: 0 }],
];

/** Draws the plan of a seed; what it is drawn with besides has a stream of its own. */
export function makeFolderPlan(given: FolderPlanOptions): FolderPlan {
  const { hasMounts = false, hasExclusions = false, ...options } = given;
  const { seed, steps, hasFaults = true } = options;
  const random = new SeededRandom(seed);
  const linked = random.fork('linked trees');
  if (!hasMounts && !hasExclusions && linked.chance(LINKED_CHANCE)) {
    return makeLinkedPlan(linked, { seed, steps, hasFaults });
  }
  let plan = makeUsualPlan(options);
  if (hasMounts) plan = withMounts(plan, random.fork('mounted volumes'));
  return hasExclusions ? withExclusions(plan, random.fork('exclusions')) : plan;
}

function makeUsualPlan({ seed, steps, hasFaults = true }: FolderPlanOptions): FolderPlan {
  const random = new SeededRandom(seed).fork('folder world');
  const usual = drawSettings(random.fork('settings'));
  const disks = drawDisks(random.fork('disks'), usual.laptops);
  const settings = {
    ...{ ...usual, ...disks, ...drawSizes(random.fork('sizes')) },
    ...drawOtherDisks(random.fork('other disks'), usual.laptops, disks.innerDisks),
  };
  const kinds = drawKinds(random.fork('kinds'));
  const [times, programs, faults] = [
    random.fork('times'),
    random.fork('programs'),
    random.fork('faults'),
  ];
  const chance = hasFaults ? faults.pick(FAULT_CHANCES) : 0;
  const pauseMs = times.pick(PAUSES_MS);
  const some = faults.shuffled(FAULTS).slice(0, faults.between(1, FAULTS.length));
  const troubles = hasFaults ? new MachineFaults(random.fork('machines'), settings.laptops) : null;
  const commands = new Commands(random.fork('commands'), settings.laptops);
  const odd = oddities(random.fork('oddities'), settings.laptops);
  const recorded = recordings(random.fork('recorded'), settings.laptops);
  const entries: FolderEntry[] = [];
  let at = 0;
  for (let step = 0; step < steps; step++) {
    at += times.chance(0.03) ? times.below(MOST_PAUSE_MS) : times.below(2 * pauseMs);
    const laptop = programs.below(settings.laptops);
    const kind = programs.pick(kinds);
    entries.push({
      ...{ at, laptop, kind: 'program', program: kind.name },
      seed: programs.below(MOST_SEED),
    });
    if (faults.chance(FLUSH_CHANCE)) entries.push({ at, laptop, kind: 'flush' });
    for (const program of [...odd.next(), ...recorded.next()]) entries.push({ ...program, at });
    for (const command of commands.next()) entries.push({ at, ...command });
    for (const fault of troubles?.next() ?? []) entries.push({ at, ...fault });
    if (!faults.chance(chance)) continue;
    const fault = faults.pick(some)(faults);
    entries.push({ at, laptop: faults.below(settings.laptops), kind: 'fault', ...fault });
  }
  // Where contents give way, a server that is put back may have had the last of some.
  const seldom = hasFaults ? drawSeldom(random.fork('seldom'), settings.laptops) : [];
  const isPossible =
    settings.cacheBytes === null && !entries.some(({ kind }) => kind === 'command');
  for (const entry of seldom) {
    if (entry.kind === 'fault' && entry.do === 'restored' && !isPossible) continue;
    const after = entries.findIndex(({ at }) => at > entry.at);
    entries.splice(after < 0 ? entries.length : after, 0, entry);
  }
  return { seed, settings, entries };
}

function drawSettings(random: SeededRandom): FolderSettings {
  return {
    laptops: random.pick([1, 2, 2, 2, 3]),
    diskMs: random.pick([0, 2, 2, 20]),
    paceMs: random.pick([1, 10, 50, 300]),
    betweenChance: random.pick([0, 0, 0.002, 0.02, 0.1]),
    networkMs: random.pick([1, 10, 80]),
    fileSystem: random.pick(['ext4', 'ext4', 'btrfs', 'xfs', 'tmpfs']),
    watches: random.pick(WATCHES),
    isLong: random.chance(0.15),
    cacheBytes: random.pick([null, null, null, 2000, 20_000]),
  };
}

/** Each as often as it weighs. */
function drawKinds(random: SeededRandom): ProgramKind[] {
  const drawn = PROGRAMS.filter(({ weight }) => weight > 0);
  const some = drawn.filter(() => random.chance(0.5));
  const taken = some.length === 0 ? drawn : some;
  return taken.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
}

type Draw = (random: SeededRandom) => FolderFault;

const downMs = (random: SeededRandom): number => random.pick([0, 100, 3000, 30_000]);

const FAULTS: readonly Draw[] = [
  (random) => ({
    do: 'crash-at-call',
    calls: random.between(1, random.pick([20, 200, 2000])),
    downMs: downMs(random),
  }),
  (random) => ({ do: 'kill', downMs: downMs(random) }),
  (random) => ({ do: 'power', downMs: downMs(random) }),
  (random) => ({ do: 'cut', lastsMs: random.pick([500, 5000, 60_000]) }),
  (random) => ({ do: 'restart', downMs: downMs(random) }),
  (random) => ({ do: 'server-crash', downMs: downMs(random) }),
];
