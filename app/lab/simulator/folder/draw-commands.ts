/** Draws what people ask of their daemons in a plan. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FolderSettings, PersonCommand } from './folder-plan.ts';

type Draw = (random: SeededRandom) => PersonCommand;

const CHANCES = [0, 0.03, 0.12];
const MOST_PICK = 1000;
const BOUNDS = [null, 0, 6000, 20_000, 60_000];
const ACTS = ['evict', 'evict', 'pin', 'unpin', 'prefetch', 'demand'] as const;

/** A part, or all. */
const pick = (random: SeededRandom): number => (random.chance(0.3) ? 0 : random.below(MOST_PICK));

const DRAWS: readonly Draw[] = [
  ...Array.from({ length: 4 }, (): Draw => (random) => {
    return { do: 'cache', act: random.pick(ACTS), pick: pick(random) };
  }),
  (random) => ({ do: 'bound', maximum: random.pick(BOUNDS) }),
  (random) => ({ do: 'confirm', pick: pick(random) }),
  (random) => ({ do: 'reject', pick: pick(random) }),
];

/** Draws the commands of one plan: in some there are none. */
export class Commands {
  readonly #random: SeededRandom;
  readonly #chance: number;
  readonly #laptops: number;

  constructor(random: SeededRandom, laptops: number) {
    this.#random = random;
    this.#laptops = laptops;
    this.#chance = random.pick(CHANCES);
  }

  /** What somebody asks at this moment, and of which laptop. */
  next(): Array<PersonCommand & { readonly kind: 'command'; readonly laptop: number }> {
    const random = this.#random;
    if (!random.chance(this.#chance)) return [];
    const laptop = random.below(this.#laptops);
    return [{ kind: 'command', laptop, ...random.pick(DRAWS)(random) }];
  }
}

/** Bounds of the engine that few programs of a plan reach already; each is one that must change no outcome. */
const SMALL_LIMITS: Readonly<Record<string, readonly number[]>> = {
  massRemovalFiles: [0, 2, 5],
  massRemovalShare: [0],
  lateFiles: [0, 1, 3],
  lateBytes: [0, 20_000],
  batchPaths: [1, 5],
  parallelCopies: [1, 2],
  parallelFiles: [1, 3],
  smallBytes: [100, 5000],
  parallelCalls: [1, 2],
  shortBytes: [0, 60],
  shortComing: [1, 2],
  longComing: [1, 2],
  longBytes: [100, 20_000],
  mostComing: [1, 3],
  keptFiles: [0, 1],
  keptBytes: [0, 20_000],
  commitsPerTransaction: [1, 3],
  outsideFiles: [1],
  largeBytes: [50, 10_000],
  restPaths: [0, 1],
  slice: [0],
};

/** Sizes of contents, and bounds of the engine, that a plan has other than the usual. */
export function drawSizes(random: SeededRandom): Pick<FolderSettings, 'longChance' | 'limits'> {
  const longChance = random.pick([null, null, 0.3, 0.6]);
  const isSmall = random.chance(0.4);
  const limits = Object.entries(SMALL_LIMITS).flatMap(([name, values]) => {
    const value = random.pick(values);
    return random.chance(0.4) ? [[name, value] as const] : [];
  });
  return {
    ...(longChance === null ? {} : { longChance }),
    ...(isSmall ? { limits: Object.fromEntries(limits) } : {}),
  };
}
