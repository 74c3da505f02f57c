/**
 * User locks (rules K1 to K5): a person says "I am editing this", and others see it. A lock stops no save of somebody who asks for none.
 */
import type { DeviceId } from './change.ts';
import type { Fid } from './fid.ts';
import type { WallTime } from './time.ts';

export const LOCK_MODES = ['exclusive', 'shared'] as const;
/** `exclusive`: nobody else has one; `shared`: others have shared ones at most. */
export type LockMode = (typeof LOCK_MODES)[number];

/** A lock that the server has granted to a device. */
export interface FileLock {
  readonly fid: Fid;
  readonly mode: LockMode;
  readonly device: DeviceId;
  readonly deviceName: string;
  readonly user: string;
  /** When its person locked it, by the clock of the server; of one that was lost meanwhile and asked for again, as its laptop says. */
  readonly since: WallTime;
  /** Somebody has broken it; it ends when its holder has heard of that, or with the lease. */
  readonly broken: boolean;
  /** The name of the laptop that has broken it; left out: nobody has, or it is not known. */
  readonly brokenBy?: string | undefined;
}
