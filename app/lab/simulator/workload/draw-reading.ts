/** Programs that read the files of a folder one after the other, at random: beside the others, so that the draws of those stay as they are. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { READ_ORDERS } from '../plan/operation.ts';
import type { PlanSettings } from '../plan/plan.ts';
import type { DrawnOperation } from './draw-operation.ts';
import { drawnNames } from './drawn-names.ts';

/** Beside one operation of another program; in half of the runs nobody does. */
const CHANCES = [0, 0, 0.005, 0.03];

/** `names`: as the programs of the run have them. */
export function drawnReadings(
  random: SeededRandom,
  names: SeededRandom,
  settings: PlanSettings,
): () => DrawnOperation[] {
  const chance = random.pick(CHANCES);
  const drawn = drawnNames(names);
  return () => {
    if (!random.chance(chance)) return [];
    const laptop = random.below(settings.laptops.length);
    const path = drawn.folder();
    return [{ laptop, operation: { do: 'read-through', path, by: random.pick(READ_ORDERS) } }];
  };
}
