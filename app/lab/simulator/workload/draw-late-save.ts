/**
 * Programs that find a file and open it a while later, and save it when they have had it open for as long, at random: what others do to its names
 * meanwhile they do not see. Beside the others, so that the draws of those stay as they are.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { PlanSettings } from '../plan/plan.ts';
import type { DrawnOperation } from './draw-operation.ts';
import { drawnNames } from './drawn-names.ts';

/** Beside one operation of another program; in half of the runs nobody does. */
const CHANCES = [0, 0, 0.01, 0.05];
const LONGEST_MS = [300, 3_000, 30_000];
const MOST_BYTES = 1_000;

/** `names`: as the programs of the run have them. */
export function drawnLateSaves(
  random: SeededRandom,
  names: SeededRandom,
  settings: PlanSettings,
): () => DrawnOperation[] {
  const chance = random.pick(CHANCES);
  const longest = random.pick(LONGEST_MS);
  const drawn = drawnNames(names);
  return () => {
    if (!random.chance(chance)) return [];
    const laptop = random.below(settings.laptops.length);
    const [bytes, ms] = [random.below(MOST_BYTES), random.below(longest)];
    return [{ laptop, operation: { do: 'late-save', path: drawn.file(), bytes, ms } }];
  };
}
