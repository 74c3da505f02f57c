/** Every workload that can be made, by its name. The same name and seed are the same records, as long as the generator
 * stays what it is. */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { CONSISTENCY_WORKLOAD } from './consistency-workload.ts';
import { LOOKUPS_WORKLOAD } from './lookups.ts';
import { MICROBENCHMARKS } from './microbenchmarks.ts';
import { NTFS_WORKLOADS } from './ntfs-workloads.ts';
import { PREFETCH_TESTS } from './prefetch-tests.ts';
import type { Generator, Workload } from './workload.ts';

export const GENERATORS: ReadonlyMap<string, Generator> = new Map(
  [
    ...[NTFS_WORKLOADS, MICROBENCHMARKS, PREFETCH_TESTS],
    ...[CONSISTENCY_WORKLOAD, LOOKUPS_WORKLOAD],
  ].flatMap((some) => Object.entries(some)),
);

/** null: there is none of that name. */
export function generateTrace(name: string, seed: number): Workload | null {
  return GENERATORS.get(name)?.make(new SeededRandom(seed).fork(name)) ?? null;
}
