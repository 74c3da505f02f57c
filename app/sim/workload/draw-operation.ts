/**
 * Operations at random: few names and few folders, so that laptops meet often. Each run has its own weights, and
 * leaves some kinds out.
 */
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { FileOperation, OperationKind } from '../plan/operation.ts';
import type { PlanSettings } from '../plan/plan.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const FOLDERS = ['', '/x', '/y', '/x/z'];
const MOST_BYTES = 3_000;

const WEIGHTS: Readonly<Record<OperationKind, number>> = {
  write: 10,
  'safe-save': 3,
  read: 4,
  list: 1,
  rename: 3,
  remove: 3,
  mkdir: 2,
  rmdir: 1,
  link: 1,
  chmod: 1,
  symlink: 1,
};

/** A fair mix, half of it, none, or a lot. */
const FACTORS = [0, 0.5, 1, 1, 1, 4];

export interface DrawnOperation {
  readonly laptop: number;
  readonly operation: FileOperation;
}

/** Draws one operation after the other. */
export function drawnOperations(
  random: SeededRandom,
  settings: PlanSettings,
): () => DrawnOperation {
  const kinds = (Object.entries(WEIGHTS) as Array<[OperationKind, number]>).map(
    ([kind, weight]) => ({
      kind,
      weight: kind === 'write' ? weight : weight * random.pick(FACTORS),
    }),
  );
  return () => ({
    laptop: random.below(settings.laptops.length),
    operation: drawOperation(random, drawKind(random, kinds)),
  });
}

function drawKind(
  random: SeededRandom,
  kinds: ReadonlyArray<{ readonly kind: OperationKind; readonly weight: number }>,
): OperationKind {
  let drawn = random.fraction() * kinds.reduce((sum, { weight }) => sum + weight, 0);
  for (const { kind, weight } of kinds) {
    if (drawn < weight) return kind;
    drawn -= weight;
  }
  return 'write';
}

function drawOperation(random: SeededRandom, kind: OperationKind): FileOperation {
  const file = (): string => `${random.pick(FOLDERS)}/${random.pick(NAMES)}`;
  const folder = (): string => random.pick(FOLDERS.slice(1));
  switch (kind) {
    case 'write':
    case 'safe-save':
      return { do: kind, path: file(), bytes: random.below(MOST_BYTES) };
    case 'rename':
    case 'link':
      return { do: kind, path: file(), to: file() };
    case 'mkdir':
    case 'rmdir':
    case 'list':
      return { do: kind, path: folder() };
    case 'chmod':
      return { do: kind, path: file(), mode: random.pick([0o600, 0o644, 0o755]) };
    case 'symlink':
      return { do: kind, path: file(), target: 'elsewhere' };
    default:
      return { do: kind, path: file() };
  }
}
