/** Random sizes that come to an exact total. */
import { assert } from '../../../../shared/util/assert.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';

export interface ShareBounds {
  readonly least: number;
  readonly most: number;
  /** Standard deviation of the logarithm: 0 makes all alike, 1.5 is as file sizes are. */
  readonly spread: number;
}

/**
 * `count` whole numbers from `least` to `most` whose sum is `total`, of a log-normal distribution as file sizes have it (Downey, "The
 * structural cause of file size distributions", 2001). `total` must be possible.
 */
export function shares(
  random: SeededRandom,
  count: number,
  total: number,
  { least, most, spread }: ShareBounds,
): number[] {
  assert(count * least <= total && total <= count * most, 'sizes that can come to the total');
  const weights = Array.from({ length: count }, () => Math.exp(spread * normal(random)));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const sizes = weights.map((weight) =>
    Math.min(most, Math.max(least, Math.floor((weight / sum) * total))),
  );
  let left = total - sizes.reduce((all, size) => all + size, 0);
  // What the bounds and the rounding have left over: evenly to those with room for it.
  while (left !== 0) {
    const open = sizes.flatMap((size, index) =>
      (left > 0 ? size < most : size > least) ? [index] : [],
    );
    const step = Math.trunc(left / open.length) || Math.sign(left);
    for (const index of open) {
      if (left === 0) break;
      const size = sizes[index] ?? 0;
      const next = Math.min(most, Math.max(least, size + step));
      sizes[index] = next;
      left -= next - size;
    }
  }
  return sizes;
}

/** Box and Muller. */
function normal(random: SeededRandom): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.fraction()));
  return radius * Math.cos(2 * Math.PI * random.fraction());
}
