/** Canary: nothing goes from the cache to keep the reserve of the disk free. */
import { FileCache } from '../../../../daemon/core/cache/file-cache.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { Plan, PlanEntry } from '../plan/plan.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const keepOverReserve: Mutant = {
  name: 'keep-over-reserve',
  rule: 'reserve',
  caughtBy: 'the reserve of the disk is kept',
  plan: fullDiskPlan,
  begin: () => replaceMethod(FileCache.prototype, 'keepTo', () => () => undefined),
};

const FILES = ['/a', '/b', '/c', '/d'];
const BYTES = 4_000;
/** For four files, and less beside them than is to be left free. */
const DISK_BYTES = 16_500;

/** A laptop reads what another one wrote, until its disk is full but for less than its reserve. */
export function fullDiskPlan(seed: number): Plan {
  const laptop = { volume: 1, rights: 'write', frontEnd: 'none' } as const;
  const entries: PlanEntry[] = [];
  const then = (who: number, operation: FileOperation): void => {
    const number = entries.length + 1;
    entries.push({ at: number * 1_000, kind: 'operation', number, laptop: who, operation });
  };
  for (const path of FILES) then(0, { do: 'write', path, bytes: BYTES });
  const first = seed % FILES.length;
  for (const path of [...FILES.slice(first), ...FILES.slice(0, first)])
    then(1, { do: 'read', path });
  const network = { delayMs: 10, bytesPerSecond: null };
  const settings = { laptops: [laptop, laptop], diskMs: 2, network, diskBytes: DISK_BYTES };
  return { seed, settings, entries };
}
