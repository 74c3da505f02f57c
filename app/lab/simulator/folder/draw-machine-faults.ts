/** Draws what goes wrong with the disks, mounts and clocks of the machines of a plan: seldom, and each with an end. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { ErrorName } from '../posix/kernel-error.ts';
import type { KernelCall } from '../posix/kernel.ts';
import { failingCalls } from './failing-calls.ts';
import type { FolderFault, FolderSettings } from './folder-plan.ts';

/** What a failing disk says, by how often it does. */
const CODES: readonly ErrorName[] = [
  ...['EIO', 'EIO', 'EIO', 'ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'],
] as const;
const CALLS: readonly (readonly KernelCall[] | null)[] = [
  null,
  ...(
    ['stat', 'open', 'read', 'write', 'sync', 'list', 'rename', 'xattr', 'attributes'] as const
  ).map((call) => [call]),
  ['make', 'link', 'rename', 'remove'],
];
const LASTS_MS = [200, 3000, 20_000, 90_000];
const MOST_PICK = 1000;
const MOST_SEED = 2 ** 31;
const MOST_CALLS = [20, 200, 2000];
const SECOND = 1000;
/** How far somebody sets a clock at most, in seconds. */
const JUMPS_S = [2, 3600, 86_400, 315_360_000];
/** A breath, a pause, and a night. */
const SLEEPS_MS = [2 * SECOND, 40 * SECOND, 300 * SECOND, 8 * 3600 * SECOND];

/** What befalls a machine, or what somebody does there that is as hard. */
type Happening =
  | ({ readonly kind: 'fault' } & FolderFault)
  | { readonly kind: 'program'; readonly program: string; readonly seed: number };

/** All at one moment, on one laptop. */
type Draw = (random: SeededRandom) => readonly Happening[];

const lasts = (random: SeededRandom): number => random.pick(LASTS_MS);

function drawRefusal(random: SeededRandom): Happening[] {
  const code = random.pick(CODES);
  const calls = failingCalls(code, random.pick(CALLS));
  const pick = random.chance(0.4) ? 0 : random.below(MOST_PICK);
  const chance = random.pick([1, 0.5, 0.1]);
  const what = { kind: 'refused' as const, pick, calls, code, chance };
  return [{ kind: 'fault', do: 'disk', what, lastsMs: lasts(random) }];
}

function drawRoom(random: SeededRandom): Happening[] {
  const kind = random.pick(['full', 'full', 'inode-full', 'quota'] as const);
  const free = random.pick([0, 0, 1, 3, 10]);
  return [{ kind: 'fault', do: 'disk', what: { kind, free }, lastsMs: lasts(random) }];
}

/** It may be gone already when the daemon starts. */
function drawMount(random: SeededRandom): Happening[] {
  const what = random.pick(['away', 'away', 'dead', 'covered', 'replaced', 'slow'] as const);
  const where = random.pick(['inner', 'inner', 'inner', 'folder', 'disk'] as const);
  const mount = {
    kind: 'fault' as const,
    do: 'mount' as const,
    what,
    where,
    lastsMs: lasts(random),
  };
  if (random.chance(0.6)) return [mount];
  const ends = random.pick(['kill', 'restart'] as const);
  return [mount, { kind: 'fault', do: ends, downMs: random.pick([0, 2000]) }];
}

function drawError(random: SeededRandom): Happening[] {
  const calls = random.between(1, random.pick(MOST_CALLS));
  const times = random.pick([1, 1, 3, 20]);
  return [{ kind: 'fault', do: 'error-at-call', calls, code: random.pick(CODES), times }];
}

function drawSleep(random: SeededRandom): Happening[] {
  const lastsMs = random.below(random.pick(SLEEPS_MS));
  return [{ kind: 'fault', do: 'sleep', answer: random.pick(['reset', 'none'] as const), lastsMs }];
}

const programs =
  (program: string): Draw =>
  (random) => [{ kind: 'program', program, seed: random.below(MOST_SEED) }];

const DRAWS: readonly Draw[] = [
  ...[programs('locks-up'), programs('foreign-files')],
  ...[drawRefusal, drawRefusal, drawRoom, drawMount, drawMount, drawError, drawSleep],
  (random) => [{ kind: 'fault', do: 'disk', what: { kind: 'read-only' }, lastsMs: lasts(random) }],
  (random) => {
    const what = { kind: 'immutable' as const, pick: random.below(MOST_PICK) };
    return [{ kind: 'fault', do: 'disk', what, lastsMs: lasts(random) }];
  },
  (random) => {
    const byMs = random.pick([SECOND, -SECOND]) * random.below(random.pick(JUMPS_S));
    return [{ kind: 'fault', do: 'wall', byMs }];
  },
];

const FAULT_CHANCES = [0, 0, 0.01, 0.03, 0.1];

/** Draws these faults for one plan, which has only some of them. */
export class MachineFaults {
  readonly #random: SeededRandom;
  readonly #chance: number;
  readonly #some: readonly Draw[];
  readonly #laptops: number;

  constructor(random: SeededRandom, laptops: number) {
    this.#random = random;
    this.#laptops = laptops;
    this.#chance = random.pick(FAULT_CHANCES);
    this.#some = random.shuffled(DRAWS).slice(0, random.between(1, DRAWS.length));
  }

  /** What befalls which laptop at this moment. */
  next(): Array<Happening & { readonly laptop: number }> {
    const random = this.#random;
    if (!random.chance(this.#chance)) return [];
    const laptop = random.below(this.#laptops);
    return random
      .pick(this.#some)(random)
      .map((fault) => ({ ...fault, laptop }));
  }
}

const INNER = ['ext4', 'btrfs', 'tmpfs', 'fuse.sshfs', 'fuse.sshfs', 'vfat'];

/** Which laptop has a disk that is mounted in its folder. */
export function drawDisks(
  random: SeededRandom,
  laptops: number,
): Pick<FolderSettings, 'innerDisks'> {
  if (!random.chance(0.25)) return {};
  const disk = (): string | null => (random.chance(0.5) ? random.pick(INNER) : null);
  return { innerDisks: Array.from({ length: laptops }, disk) };
}
