/** What has crossed a line between two looks at its counters. */
import type { Crossed, PacketCount } from './replay-world.ts';

/**
 * Subtracts earlier counters of a line from later ones, in bytes and packets. `packets` is null if
 * either of them has none.
 */
export function crossedSince(now: Crossed, before: Crossed | undefined): Crossed {
  if (before === undefined) return now;
  const packets =
    now.packets === null || before.packets === null
      ? null
      : {
          up: less(now.packets.up, before.packets.up),
          down: less(now.packets.down, before.packets.down),
        };
  return { up: now.up - before.up, down: now.down - before.down, packets };
}

const less = (now: PacketCount, before: PacketCount): PacketCount => ({
  crossed: now.crossed - before.crossed,
  dropped: now.dropped - before.dropped,
});
