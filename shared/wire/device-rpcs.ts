/** What a device says of itself besides Hello. */
import { z } from 'zod';
import * as f from './fields.ts';

/** From which version of the protocol on a server keeps the names of its devices, and tells them. */
export const NAMES_KEPT_FROM = 4;

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
} as const;
