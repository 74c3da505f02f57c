/** What is worth being told in part; the simulator's small contents go the same ways with lower limits. */
export interface TransferLimits {
  /** Contents from here on are told against a version that both sides have (MIN_DELTA). */
  readonly minDelta: number;
  /** Streams from here on go on after a break (MIN_RESUME). */
  readonly minResume: number;
}
