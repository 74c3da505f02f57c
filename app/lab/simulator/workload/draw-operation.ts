/**
 * Operations at random, one after the other. Each run has its own names, its own weights, and leaves some kinds out.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation, OperationKind } from '../plan/operation.ts';
import type { PlanSettings } from '../plan/plan.ts';
import { namesLikeCopies } from './called-like-copies.ts';
import { drawnNames } from './drawn-names.ts';
import type { DrawnNames } from './drawn-names.ts';
import { drawnScripts } from './drawn-script.ts';

/** The others are drawn apart (draw-cache-operation.ts, draw-sharing-operation.ts, draw-reading.ts, draw-late-save.ts). */
type UsualKind = Exclude<
  OperationKind,
  'cache' | 'bounds' | 'group' | 'sharing' | 'ask' | 'read-through' | 'late-save'
>;

const WEIGHTS: Readonly<Record<UsualKind, number>> = {
  write: 10,
  'safe-save': 3,
  append: 2,
  patch: 1,
  abandon: 0.5,
  scratch: 1,
  read: 4,
  hold: 0.5,
  list: 1,
  readlink: 0.3,
  rename: 3,
  exchange: 0.5,
  remove: 3,
  'remove-tree': 0.2,
  mkdir: 2,
  rmdir: 1,
  link: 1,
  chmod: 1,
  utimes: 0.5,
  xattr: 0.5,
  symlink: 1,
  flush: 0.1,
};

/** A fair mix, half of it, none, or a lot. */
const FACTORS = [0, 0.5, 1, 1, 1, 4];
/** How often the next thing is a script's. */
const SCRIPT_CHANCES = [0, 0.005, 0.02, 0.05];
const USUAL_BYTES = [100, 3_000, 3_000, 10_000];
/** Large enough for other things to happen while it is under way. */
const LARGE_BYTES = { least: 200_000, more: 800_000 };
const LARGE_CHANCES = [0, 0, 0, 0.005];
const LONGEST_FLUSH_MS = 60_000;
const MODES = [0o600, 0o644, 0o755];

export interface DrawnOperation {
  readonly laptop: number;
  readonly operation: FileOperation;
}

interface Mix {
  readonly random: SeededRandom;
  readonly names: DrawnNames;
  readonly bytes: () => number;
}

/** Draws what comes next: one operation, or all the steps of a script. */
export function drawnOperations(
  random: SeededRandom,
  settings: PlanSettings,
): () => DrawnOperation[] {
  const kinds = drawWeights(random);
  const names = drawnNames(random.fork('names'));
  const scripts = drawnScripts(random.fork('scripts'), names);
  const [scriptChance, mostBytes] = [random.pick(SCRIPT_CHANCES), random.pick(USUAL_BYTES)];
  const largeChance = random.pick(LARGE_CHANCES);
  const bytes = (): number =>
    random.chance(largeChance)
      ? LARGE_BYTES.least + random.below(LARGE_BYTES.more)
      : random.below(mostBytes);
  const likeCopies = namesLikeCopies(random.fork('like copies'));
  const mix = { random, names, bytes };
  return () => {
    const laptop = random.below(settings.laptops.length);
    const next = random.chance(scriptChance)
      ? scripts()
      : [drawOperation(mix, drawKind(random, kinds))];
    return next.map((operation) => ({ laptop, operation: likeCopies(operation) }));
  };
}

interface Weighted {
  readonly kind: UsualKind;
  readonly weight: number;
}

function drawWeights(random: SeededRandom): Weighted[] {
  const kinds = Object.entries(WEIGHTS) as Array<[UsualKind, number]>;
  return kinds.map(([kind, weight]) => ({
    kind,
    weight: kind === 'write' ? weight : weight * random.pick(FACTORS),
  }));
}

function drawKind(random: SeededRandom, kinds: readonly Weighted[]): UsualKind {
  let drawn = random.fraction() * kinds.reduce((sum, { weight }) => sum + weight, 0);
  for (const { kind, weight } of kinds) {
    if (drawn < weight) return kind;
    drawn -= weight;
  }
  return 'write';
}

function drawOperation(mix: Mix, kind: UsualKind): FileOperation {
  const { random, names } = mix;
  const path = names.file();
  switch (kind) {
    case 'write':
    case 'safe-save':
    case 'append':
    case 'patch':
    case 'abandon':
    case 'scratch':
      return { do: kind, path, bytes: mix.bytes() };
    case 'rename':
      if (random.chance(0.2)) return { do: kind, path: names.folder(), to: names.folder() };
      return { do: kind, path, to: names.file() };
    case 'exchange':
    case 'link':
      return { do: kind, path, to: names.file() };
    case 'mkdir':
    case 'rmdir':
    case 'remove-tree':
    case 'list':
      return { do: kind, path: names.folder() };
    case 'hold':
      return { do: kind, path, ms: random.below(5_000), count: 1 + random.below(12) };
    case 'chmod':
      return { do: kind, path, mode: random.pick(MODES) };
    case 'utimes':
      return { do: kind, path, ms: random.below(2_000_000_000_000) };
    case 'xattr':
      return { do: kind, path, value: String(random.below(1_000)) };
    case 'symlink':
      return { do: kind, path, target: random.pick(['elsewhere', 'a', '../b']) };
    case 'flush':
      return { do: kind, path: '/', ms: random.below(LONGEST_FLUSH_MS) };
    case 'read':
    case 'readlink':
    case 'remove':
      return { do: kind, path };
  }
}
