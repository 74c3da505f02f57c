/** Bounds on how fast contents leave a laptop and come to it: settings of the daemon, off by default. */

/** Bytes of contents a second; null: as fast as the network takes them. */
export interface TransferLimits {
  readonly upload: number | null;
  readonly download: number | null;
}

export const NO_LIMITS: TransferLimits = { upload: null, download: null };

/** Less than this keeps one document waiting for minutes: who wants that pauses. Bytes a second. */
export const LEAST_LIMIT = 10_000;

/** More than any line of a laptop carries. Bytes a second. */
export const MOST_LIMIT = 10_000_000_000;

/** What is left out stays as it is; null takes a limit away. */
export type LimitsChange = {
  readonly [K in keyof TransferLimits]?: TransferLimits[K] | undefined;
};
