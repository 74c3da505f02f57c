/** The quota of a volume, as a device knows it. */
import type { VolumeId } from './fid.ts';

/** In bytes of the contents of files. A volume without a quota has none of this. */
export interface QuotaUsage {
  readonly volume: VolumeId;
  readonly limit: number;
  readonly used: number;
  /** What this device may count on: what is left, but for what others were granted ahead. */
  readonly free: number;
}
