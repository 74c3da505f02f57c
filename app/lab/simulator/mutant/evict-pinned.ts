/** Canary: what goes to make room is chosen by its last use alone, pinned or not. */
import { FileCache } from '../../../../daemon/core/cache/file-cache.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const evictPinned: Mutant = {
  name: 'evict-pinned',
  rule: 'pins',
  plan: pinnedPlan,
  begin: () =>
    replaceMethod(FileCache.prototype, 'evictable', (evictable) => {
      return function (this: FileCache, limit) {
        return evictable.call(this, limit, () => false);
      };
    }),
};

const FILES = ['/a', '/b', '/c'];
const BYTES = 4_000;

/** A laptop with room for one file reads three that another one wrote, and has the first pinned. */
export function pinnedPlan(seed: number): Plan {
  const laptop = { volume: 1, rights: 'write', frontEnd: 'none' } as const;
  const entries: PlanEntry[] = [];
  const then = (who: number, operation: FileOperation): void => {
    const number = entries.length + 1;
    entries.push({ at: number * 1_000, kind: 'operation', number, laptop: who, operation });
  };
  for (const path of FILES) then(0, { do: 'write', path, bytes: BYTES });
  const pinned = FILES[seed % FILES.length] ?? '/a';
  then(1, { do: 'cache', act: 'pin', path: pinned });
  for (const path of [...FILES, ...FILES]) then(1, { do: 'read', path });
  then(1, { do: 'cache', act: 'unpin', path: pinned });
  const network = { delayMs: 10, bytesPerSecond: null };
  const settings = { laptops: [laptop, laptop], diskMs: 2, network, cacheBytes: BYTES };
  return { seed, settings, entries };
}
