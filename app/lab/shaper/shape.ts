/**
 * One direction of a link without sockets and without a clock: the very rules of the relay, under times that the caller gives.
 */
import type { Conditions } from './conditions.ts';
import { nativeConditions } from './native-conditions.ts';
import { relay } from './relay-binding.ts';

export interface Offered {
  readonly atNs: number;
  /** With headers. */
  readonly bytes: number;
}

/** When each packet arrives, in nanoseconds; null where it does not. They come in the order of their times. */
export function shape(
  conditions: Conditions,
  seed: number,
  offered: readonly Offered[],
): Array<number | null> {
  const times = Float64Array.from(offered, ({ atNs }) => atNs);
  const sizes = Float64Array.from(offered, ({ bytes }) => bytes);
  const arrivals = relay.relayShape(nativeConditions(conditions), seed, times, sizes);
  return Array.from(arrivals, (at) => (at < 0 ? null : at));
}
