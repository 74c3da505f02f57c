/** Draws which folders people exclude on their laptops, and include again. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FolderEntry, FolderPlan, PersonCommand } from './folder-plan.ts';

const CHANCES = [0.05, 0.15, 0.3];
const MOST_PICK = 1000;

/** The same plan with exclusions: other plans of the seed keep their meaning. */
export function withExclusions(plan: FolderPlan, random: SeededRandom): FolderPlan {
  const { settings, entries } = plan;
  const chance = random.pick(CHANCES);
  const all: FolderEntry[] = [];
  for (const entry of entries) {
    all.push(entry);
    if (!random.chance(chance)) continue;
    const what: PersonCommand = {
      do: random.chance(0.7) ? 'exclude' : 'include',
      pick: 1 + random.below(MOST_PICK),
    };
    all.push({ at: entry.at, laptop: random.below(settings.laptops), kind: 'command', ...what });
  }
  return { ...plan, entries: all };
}
