/** Draws what people ask of their daemons in a plan, which odd things they do, and what is other than usual in it. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { DiskLacks, FolderEntry, FolderSettings, PersonCommand } from './folder-plan.ts';
import { ODDITIES, RECORDED } from './programs/programs.ts';

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

const ODD_CHANCES = [0, 0.1, 0.5];
/** A recording is as long as ten other programs. */
const RECORDED_CHANCES = [0, 0, 0.02, 0.1];
const MOST_SEED = 2 ** 31;

/** Draws programs beside the usual ones: of their kinds some are in a plan, or none. */
export class OtherPrograms {
  readonly #random: SeededRandom;
  readonly #chance: number;
  readonly #some: readonly string[];
  readonly #laptops: number;

  constructor(
    random: SeededRandom,
    laptops: number,
    { names, chances }: { readonly names: readonly string[]; readonly chances: readonly number[] },
  ) {
    this.#random = random;
    this.#laptops = laptops;
    this.#chance = random.pick(chances);
    this.#some = random.shuffled(names).slice(0, random.between(1, names.length));
  }

  next(): Array<Extract<FolderEntry, { readonly kind: 'program' }>> {
    const random = this.#random;
    if (!random.chance(this.#chance)) return [];
    const [laptop, program] = [random.below(this.#laptops), random.pick(this.#some)];
    return [{ at: 0, kind: 'program', laptop, program, seed: random.below(MOST_SEED) }];
  }
}

/** What some people have in their folders and few think of. */
export const oddities = (random: SeededRandom, laptops: number): OtherPrograms =>
  new OtherPrograms(random, laptops, { names: ODDITIES, chances: ODD_CHANCES });

/** What real programs did. */
export const recordings = (random: SeededRandom, laptops: number): OtherPrograms =>
  new OtherPrograms(random, laptops, { names: RECORDED, chances: RECORDED_CHANCES });

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

const OTHER_DISKS = ['vfat', 'fuse.sshfs', 'nfs4', 'hfsplus'];
const LACK = ['EINVAL', 'ENOSYS', 'ENOTSUP'] as const;

/** Some laptops have a disk of another kind, and some disks lack what others of their kind have. `innerDisks`: those that are mounted in the folders. */
export function drawOtherDisks(
  random: SeededRandom,
  laptops: number,
  innerDisks: FolderSettings['innerDisks'] = [],
): Pick<FolderSettings, 'ownFileSystems' | 'lacks'> {
  const isDrawn = random.chance(0.4);
  const all = Array.from({ length: laptops }, (_, laptop) => {
    const own = isDrawn && random.chance(0.5) ? random.pick(OTHER_DISKS) : null;
    const drawn = isDrawn && random.chance(0.5) ? drawLacks(random) : {};
    return { own, lacks: withOneWay(drawn, [own, innerDisks[laptop] ?? null]) };
  });
  if (!isDrawn && !innerDisks.includes('vfat')) return {};
  return { ownFileSystems: all.map(({ own }) => own), lacks: all.map(({ lacks }) => lacks) };
}

/**
 * Where names can be neither swapped nor linked, what is written to a file in the moment in which it is replaced can be lost, and the status says
 * so. No disk of this world lacks both: FAT swaps since Linux 6.0.
 */
function withOneWay(lacks: DiskLacks, types: readonly (string | null)[]): DiskLacks {
  if (types.includes('vfat')) return { ...lacks, exchange: null };
  const swaps = !types.some((type) => type !== null && OTHER_DISKS.includes(type));
  if (swaps && (lacks.exchange ?? null) === null) return lacks;
  return { ...lacks, links: null };
}

function drawLacks(random: SeededRandom): DiskLacks {
  const all: DiskLacks = {
    ...{ renameNoReplace: random.pick(LACK), exchange: random.pick(LACK), links: 'EPERM' },
    ...{ symlinks: 'EPERM', temporaryFiles: 'ENOTSUP', birth: false },
    locks: random.pick(['ENOSYS', 'ENOTSUP'] as const),
    leases: random.pick(['unknown', 'always'] as const),
    numbers: random.pick(['lowest free', 'last freed', 'growing'] as const),
    order: random.pick(['hashed', 'oldest first', 'newest first'] as const),
    directorySync: 'EINVAL',
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.chance(0.3)));
}

/** What is seldom, and hard on a folder: records that are lost, rights that are taken, a server that is put back. */
export function drawSeldom(random: SeededRandom, laptops: number): readonly FolderEntry[] {
  if (!random.chance(0.3)) return [];
  const at = random.below(random.pick([2000, 20_000]));
  const about = { at, laptop: random.below(laptops), kind: 'fault' as const };
  const lastsMs = random.pick([2000, 10_000, 60_000]);
  switch (random.pick(['records', 'records', 'rights', 'rights', 'restored'])) {
    case 'records':
      return [{ ...about, do: 'records-lost', downMs: random.pick([0, 3000]) }];
    case 'rights':
      return [{ ...about, do: 'rights', rights: random.pick(['read', 'read', null]), lastsMs }];
    default:
      return [{ ...about, do: 'restored', lastsMs }];
  }
}
