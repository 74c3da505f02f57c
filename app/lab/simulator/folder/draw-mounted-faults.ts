/** Draws what befalls volumes that are mounted in the folders of a plan. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FolderEntry, FolderPlan, MountedFault } from './folder-plan.ts';
import { mountedIn } from './mounted-faults.ts';

type Draw = (random: SeededRandom, volume: number) => MountedFault;

const CHANCES = [0.1, 0.3];
const CROSSES_CHANCE = 0.6;
const MOST_SEED = 2 ** 31;
const FIRST_MS = 50;

const DRAWS: readonly Draw[] = [
  ...Array.from({ length: 3 }, (): Draw => (random, volume) => {
    const lastsMs = random.pick([500, 5000, 30_000]);
    const rights = random.chance(0.8) ? null : ('read' as const);
    return { do: 'withdrawn', volume, rights, lastsMs };
  }),
  (_, volume) => ({ do: 'give-up', volume }),
  (_, volume) => ({ do: 'volume-mounted', volume }),
  (_, volume) => ({ do: 'volume-mounted', volume }),
  (_, volume) => ({ do: 'volume-unmounted', volume }),
  (_, volume) => ({ do: 'mount-vanishes', volume }),
];

/** The same plan with mounted volumes: other plans of the seed keep their meaning. */
export function withMounts(
  { seed, settings, entries }: FolderPlan,
  random: SeededRandom,
): FolderPlan {
  const drawn = { ...settings, innerDisks: [], volumes: random.pick([2, 2, 3]) };
  const volumes = mountedIn(drawn);
  const chance = random.pick(CHANCES);
  const all: FolderEntry[] = volumes.map((volume) => {
    return { at: FIRST_MS, laptop: 0, kind: 'fault', do: 'volume-mounted', volume };
  });
  for (const entry of entries.filter((each) => each.kind !== 'fault' || isWithMounts(each.do))) {
    all.push(entry);
    const { at } = entry;
    const laptop = random.below(drawn.laptops);
    if (random.chance(CROSSES_CHANCE)) {
      const program = {
        kind: 'program',
        program: 'crosses',
        seed: random.below(MOST_SEED),
      } as const;
      all.push({ at, laptop, ...program });
    }
    if (!random.chance(chance)) continue;
    const fault = random.pick(DRAWS)(random, random.pick(volumes));
    all.push({ at, laptop, kind: 'fault', ...fault });
  }
  return { seed, settings: drawn, entries: all.sort((a, b) => a.at - b.at) };
}

/** A server that is put back has mount points of its own time; disks that are mounted there are another matter. */
const isWithMounts = (what: string): boolean => what !== 'restored' && what !== 'mount';
