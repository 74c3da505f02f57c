/**
 * The check of the engine against a workload whose answer is known: each client draws its blocks at random, with fixed
 * chances that are the same for all (the kind of workload of Leff et al. 1991). Che's approximation (Che, Tung and
 * Wang, "Hierarchical Web Caching Systems", 2002) says how often an LRU cache hits then.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Access } from './policy.ts';

/** Chances that fall with the rank: the law of Zipf, with `exponent`. They add up to one. */
export function zipf(blocks: number, exponent: number): number[] {
  const weights = Array.from({ length: blocks }, (_, rank) => 1 / (rank + 1) ** exponent);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Reads of clients that take turns at random. */
export function* independentReads(
  chances: readonly number[],
  clients: number,
  count: number,
  random: SeededRandom,
): Generator<Access> {
  const upTo: number[] = [];
  let sum = 0;
  for (const chance of chances) upTo.push((sum += chance));
  for (let n = 0; n < count; n++) {
    const drawn = random.fraction() * sum;
    yield { client: random.below(clients), block: firstAtLeast(upTo, drawn), isWrite: false };
  }
}

/** The share of reads that an LRU cache of `size` blocks answers. */
export function lruHits(chances: readonly number[], size: number): number {
  if (size >= chances.length) return 1;
  const time = characteristicTime(chances, size);
  return chances.reduce((hits, chance) => hits + chance * -Math.expm1(-chance * time), 0);
}

/** Accesses after which a block that was not used again is gone. */
function characteristicTime(chances: readonly number[], size: number): number {
  const held = (time: number): number =>
    chances.reduce((sum, chance) => sum - Math.expm1(-chance * time), 0);
  let [low, high] = [0, 1];
  while (held(high) < size) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (held(middle) < size) low = middle;
    else high = middle;
  }
  return high;
}

function firstAtLeast(sums: readonly number[], value: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
