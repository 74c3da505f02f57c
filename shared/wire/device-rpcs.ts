/** What a device says of itself besides Hello, and hears of the others of its person. */
import { z } from 'zod';
import type { WallTime } from '../model/time.ts';
import * as f from './fields.ts';
import * as limits from './limits.ts';

/** From which version of the protocol on a server keeps the names of its devices, and tells them. */
export const NAMES_KEPT_FROM = 4;

/** From which version of the protocol on a device hears of the others of its person. */
export const DEVICES_TOLD_FROM = 8;

/**
 * The highest number that a device of this person has, as far as the server knows; after the first time only where it is another one. It is a hint:
 * that pairing may fail yet.
 */
export const newestDevice = f.deviceId.optional();

export const DEVICE_RPCS = {
  /**
   * The device is called so from now on: `device-name-taken` if another one of its user is. Answered when it is durable. A server older
   * than NAMES_KEPT_FROM takes the name of each Hello.
   */
  RenameDevice: {
    ordinal: 19,
    from: 'client',
    priorityClass: 'STORE_ATTR',
    content: 'none',
    request: z.strictObject({ name: f.label }),
    reply: z.strictObject({}),
  },
  /** The devices of this person that are not revoked, the newest first: the MAX_DEVICES_TOLD newest. Of other people none is told. */
  Devices: {
    ordinal: 40,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({}),
    reply: z.strictObject({
      devices: z
        .array(
          z.strictObject({
            device: f.deviceId,
            name: f.label,
            /** When it was paired. */
            since: f.wall as unknown as z.ZodType<WallTime>,
          }),
        )
        .max(limits.MAX_DEVICES_TOLD),
    }),
  },
} as const;
