/** What people say of who uses what, and ask their daemon, at random: beside what programs do, so that the draws of those stay as they are. */
import { SHARING_ORDERS } from '../../../../shared/model/sharing.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { PlanSettings } from '../plan/plan.ts';
import type { DrawnOperation } from './draw-operation.ts';
import { drawnNames } from './drawn-names.ts';

/** Beside one operation of a program; in most runs nobody says anything. */
const CHANCES = [0, 0, 0.02, 0.06];

/** `names`: as the programs of the run have them. */
export function drawnSharingOperations(
  random: SeededRandom,
  names: SeededRandom,
  settings: PlanSettings,
): () => DrawnOperation[] {
  const chance = random.pick(CHANCES);
  const drawn = drawnNames(names);
  return () => {
    if (!random.chance(chance)) return [];
    const laptop = random.below(settings.laptops.length);
    const path = random.chance(0.4) ? drawn.folder() : drawn.file();
    if (random.chance(0.3)) return [{ laptop, operation: { do: 'ask', path } }];
    const order = random.pick([...SHARING_ORDERS, 'auto'] as const);
    return [{ laptop, operation: { do: 'sharing', path, order } }];
  };
}
