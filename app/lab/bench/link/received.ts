/** What one end of a measured line has received, after an opening of some packets. */
export interface Received {
  readonly packets: number;
  /** Without headers. */
  readonly payload: number;
  /** From the last of the opening to the last. */
  readonly seconds: number;
  /** From sending to receiving, of the later half: the middle, and what one in a hundred exceeds. */
  readonly tookMs: number;
  readonly slowestMs: number;
}

/** Of values in order; 0 where there are none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
