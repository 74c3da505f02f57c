/** From which size contents are transferred in part. The simulator sets lower limits, since its contents are small. */
export interface TransferLimits {
  /** Contents of this size and more are sent as a delta against a version that both sides have (MIN_DELTA). Bytes. */
  readonly minDelta: number;
  /** Streams from here on go on after a break (MIN_RESUME). */
  readonly minResume: number;
}
