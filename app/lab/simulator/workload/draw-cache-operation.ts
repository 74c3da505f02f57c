/** What people say of the cache, and file groups, at random: beside what programs do, so that the draws of those stay as they are. */
import { CONTENTS_ACTS } from '../../../../shared/model/cache.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { PlanSettings } from '../plan/plan.ts';
import type { DrawnOperation } from './draw-operation.ts';
import { drawnNames } from './drawn-names.ts';

/** Beside one operation of a program; in half of the runs nobody says anything. */
const CHANCES = [0, 0, 0.02, 0.1];
/** The bounds of the cache that an operation sets, in bytes; null: the default. */
const BYTES = {
  minimum: [null, null, 5_000],
  maximum: [null, 0, 1_000, 20_000],
  reserve: [null, 0, 2_000],
};
const LISTS = ['/group-1', '/group-2'];

/** `names`: as the programs of the run have them. */
export function drawnCacheOperations(
  random: SeededRandom,
  names: SeededRandom,
  settings: PlanSettings,
): () => DrawnOperation[] {
  const chance = random.pick(CHANCES);
  const drawn = drawnNames(names);
  return () => {
    if (!random.chance(chance)) return [];
    const laptop = random.below(settings.laptops.length);
    const path = random.chance(0.2) ? drawn.folder() : drawn.file();
    if (random.chance(0.1)) return [{ laptop, operation: drawBounds(random) }];
    if (random.chance(0.5)) {
      return [{ laptop, operation: { do: 'group', path, to: random.pick(LISTS) } }];
    }
    return [{ laptop, operation: { do: 'cache', path, act: random.pick(CONTENTS_ACTS) } }];
  };
}

function drawBounds(random: SeededRandom): FileOperation {
  const [minimum, maximum] = [random.pick(BYTES.minimum), random.pick(BYTES.maximum)];
  const reserve = random.pick(BYTES.reserve);
  return { do: 'bounds', path: '/', minimum, maximum, reserve, prefetch: random.chance(0.7) };
}
