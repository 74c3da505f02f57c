/**
 * Whose laptops a run has, and what they may do: of one user or of several, on one volume or two, with a folder or none, some
 * that may only read. One comes late or goes for good now and then. The first is always there and may write.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { LaptopPlan } from '../plan/plan.ts';

const COUNTS = [2, 2, 3, 3, 3, 4];
const SECOND_VOLUME_CHANCE = 0.2;
const READER_CHANCE = 0.1;
const COMING_CHANCE = 0.1;
const GOING_CHANCE = 0.07;
/** How one announces hidden updates: the default, mostly. */
const INVALIDATIONS = [null, null, null, null, 'sync', 'sync', 'no'] as const;
const UNIFORM_CHANCE = 0.15;
/** Of contents, each way, bytes a second: mostly none. Contents of a run are so small that only the lowest is felt. */
const LIMITS = [null, null, null, null, 10_000, 10_000, 40_000] as const;
const USERS = ['owner', 'ursula', 'vito', 'wim'];
const FRONT_ENDS = [['folder'], ['folder'], ['none'], ['folder', 'none']] as const;

export interface LaptopOptions {
  /** Null: as the seed has it. */
  readonly laptops: number | null;
  /** When the last operation comes. */
  readonly endMs: number;
}

/**
 * Draws the laptops of a run with their users, volumes, rights and front ends. `endMs`: when the
 * last operation begins.
 */
export function drawnLaptops(
  random: SeededRandom,
  { laptops, endMs }: LaptopOptions,
): LaptopPlan[] {
  const count = laptops ?? random.pick(COUNTS);
  const volumes = random.chance(SECOND_VOLUME_CHANCE) ? 2 : 1;
  const [frontEnds, userCount] = [random.pick(FRONT_ENDS), 1 + random.below(USERS.length)];
  const rights = new Map<string, 'read' | 'write'>();
  const [writers, limits] = [random.fork('writers'), random.fork('limits')];
  return Array.from({ length: count }, (_, i): LaptopPlan => {
    const user = USERS[i === 0 ? 0 : random.below(userCount)] as string;
    const volume = i === 0 ? 1 : 1 + random.below(volumes);
    const key = `${user} ${volume}`;
    const may = random.chance(READER_CHANCE) && user !== 'owner' ? 'read' : 'write';
    rights.set(key, rights.get(key) ?? may);
    const plan = {
      volume,
      user,
      rights: rights.get(key) ?? may,
      frontEnd: random.pick(frontEnds),
      ...drawnWriter(writers),
      ...drawnLimits(limits),
    };
    if (i === 0) return plan;
    if (random.chance(COMING_CHANCE)) return { ...plan, joinsAtMs: random.below(1 + endMs) };
    if (random.chance(GOING_CHANCE)) return { ...plan, leavesAtMs: random.below(1 + endMs) };
    return plan;
  });
}

function drawnWriter(random: SeededRandom): Pick<LaptopPlan, 'invalidations' | 'storePriorities'> {
  const [invalidations, isUniform] = [random.pick(INVALIDATIONS), random.chance(UNIFORM_CHANCE)];
  return {
    ...(invalidations === null ? {} : { invalidations }),
    ...(isUniform ? { storePriorities: 'uniform' } : {}),
  };
}

function drawnLimits(random: SeededRandom): Pick<LaptopPlan, 'uploadLimit' | 'downloadLimit'> {
  const [uploadLimit, downloadLimit] = [random.pick(LIMITS), random.pick(LIMITS)];
  return {
    ...(uploadLimit === null ? {} : { uploadLimit }),
    ...(downloadLimit === null ? {} : { downloadLimit }),
  };
}
