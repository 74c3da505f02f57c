/** Canary: a laptop forgets what a file was called that it knows, when its last name goes, and that it does not have open (rule C3). */
import { PastPlaces } from '../../../../daemon/core/names/past-places.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

const ROUNDS = 4;
const ROUND_MS = 120_000;
const LONGEST_JITTER_MS = 1_000;
const FOUND_FOR_MS = 25_000;
const CUT_MS = 60_000;

/** One laptop finds a file, hears that its folder was removed, but nothing of the file, is cut off, and saves it. */
export function foundPlan(seed: number): Plan {
  const random = new SeededRandom(seed).fork('found');
  const laptop = { volume: 1, rights: 'write', frontEnd: 'none' } as const;
  const entries: PlanEntry[] = [];
  let number = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const [folder, path] = [`/${round}`, `/${round}/f`];
    const begun = round * ROUND_MS;
    const does = (ms: number, who: number, operation: FileOperation): void => {
      const at = begun + ms + random.below(LONGEST_JITTER_MS);
      entries.push({ at, kind: 'operation', number: ++number, laptop: who, operation });
    };
    does(0, 0, { do: 'mkdir', path: folder });
    does(2_000, 0, { do: 'write', path, bytes: 0 });
    does(4_000, 0, { do: 'late-save', path, bytes: 0, ms: FOUND_FOR_MS });
    does(6_000, 1, { do: 'remove-tree', path: folder });
    // What may be asked along with it: the folder that is gone.
    does(8_000, 0, { do: 'list', path: folder });
    does(8_000, 0, { do: 'list', path: '/' });
    const fault = { family: 'cut', laptop: 0, way: 'both', lastsMs: CUT_MS };
    entries.push({ at: begun + 10_000, kind: 'fault', fault });
  }
  const network = { delayMs: 1, bytesPerSecond: null };
  entries.sort((a, b) => a.at - b.at);
  return { seed, settings: { laptops: [laptop, laptop], diskMs: 2, network }, entries };
}

export const forgetPastNames: Mutant = {
  name: 'forget-past-names',
  rule: 'C3, of names that were',
  caughtBy: 'no file is called unnamed',
  plan: foundPlan,
  begin: () => replaceMethod(PastPlaces.prototype, 'left', () => () => undefined),
};
