/** Plans in which one laptop saves what it can't send at once, and another reads it: where a rule about hidden updates is broken, that shows soon. */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';

const STEPS = 40;
const LONGEST_PAUSE_MS = 2_000;
const FILES = ['/a', '/b', '/c'];
const MOST_BYTES = 20_000;

/** Draws a plan that soon shows a broken rule about hidden updates. */
export function hiddenPlan(seed: number): Plan {
  const random = new SeededRandom(seed).fork('hidden');
  const laptop = { volume: 1, rights: 'write', frontEnd: 'none' } as const;
  const entries: PlanEntry[] = [];
  let at = 0;
  for (let number = 1; number <= STEPS; number++) {
    const path = random.pick(FILES);
    const mayRead = number > FILES.length && random.chance(0.5);
    const operation: FileOperation = mayRead
      ? { do: 'read', path }
      : { do: 'write', path, bytes: random.below(MOST_BYTES) };
    const reader = mayRead && random.chance(0.7) ? 1 : 0;
    entries.push({ at, kind: 'operation', number, laptop: reader, operation });
    at += random.below(LONGEST_PAUSE_MS);
  }
  const network = { delayMs: random.pick([1, 20]), bytesPerSecond: random.pick([3_000, 10_000]) };
  const sharing = { sharePeriodMs: 5_000 };
  return { seed, settings: { laptops: [laptop, laptop], diskMs: 2, network, ...sharing }, entries };
}
