/**
 * The RPCs of user locks (rules K1 to K5). A lock is a grant to a device, held under the lease of its connection; the server keeps locks in memory,
 * and devices ask for theirs again. All who may read a volume hear of its locks; those who may write have them.
 */
import { z } from 'zod';
import { LOCK_MODES, type FileLock } from '../model/file-lock.ts';
import type { WallTime } from '../model/time.ts';
import * as f from './fields.ts';
import * as limits from './limits.ts';

/** From which version of the protocol on locks are understood. */
export const LOCKS_FROM = 7;

/** Which state the locks of a volume have: another number after each change, as long as a connection; 0 or left out: there were none. */
export const lockRevision = f.howMany.optional();
export const lockRevisions = z
  .array(z.strictObject({ volume: f.volumeId, revision: f.howMany }))
  .max(limits.MAX_VOLUMES)
  .optional();

const when = f.wall as unknown as z.ZodType<WallTime>;

const fileLock: z.ZodType<FileLock> = z.strictObject({
  fid: f.fid,
  mode: z.enum(LOCK_MODES),
  device: f.deviceId,
  deviceName: f.label,
  user: f.label,
  since: when,
  broken: f.flag,
  brokenBy: f.label.optional(),
});

const validateClass = { from: 'client', priorityClass: 'VALIDATE', content: 'none' } as const;

export const LOCK_RPCS = {
  /**
   * Asks for a lock, or for one that the device has already, which then has this mode. `again`: it had the lock when its last connection ended, and
   * its lease has not run out since (rule K4). `since`: when its person locked it, which is shown to others and counts for nothing else.
   */
  SetLock: {
    ordinal: 37,
    ...validateClass,
    request: z.strictObject({
      fid: f.fid,
      mode: z.enum(LOCK_MODES),
      again: f.flag.optional(),
      since: when.optional(),
    }),
    reply: z.strictObject({
      /** Left out: it is granted. Else who has one that is in the way. */
      heldBy: z.array(fileLock).min(1).max(limits.MAX_HOLDERS_TOLD).optional(),
      /** The newest commit of the file: who has the lock is to see it before it counts (rule K2). */
      commit: f.commit,
      /** Which state the locks of the volume have with it. */
      revision: f.howMany,
      /** Since when the device has it; left out: it is not granted. */
      since: when.optional(),
      /** Another device has something newer of the file that is not coming now, or may have. */
      behind: f.flag.optional(),
    }),
  },
  /** Ends a lock of the device. `broken`: those of all others, as soon as they have heard of it (rule K5). Nothing to end is no error. */
  ReleaseLock: {
    ordinal: 38,
    ...validateClass,
    request: z.strictObject({ fid: f.fid, broken: f.flag.optional() }),
    reply: z.strictObject({ left: f.howMany }),
  },
  /** All locks of a volume. */
  Locks: {
    ordinal: 39,
    ...validateClass,
    request: z.strictObject({ volume: f.volumeId }),
    reply: z.strictObject({
      revision: f.howMany,
      locks: z.array(fileLock).max(limits.MAX_LOCKS),
    }),
  },
} as const;
