/**
 * The RPCs of sharing (rules S1 to S5): what others could miss of the updates of a device, and whose turn it is to hurry. Marks have the same form in
 * each message that carries them.
 */
import { z } from 'zod';
import { SHARING_ORDERS } from '../model/sharing.ts';
import * as f from './fields.ts';
import * as limits from './limits.ts';

const mark = z.strictObject({ fid: f.fid, seq: f.seq.nullable() });
const toldMarks = { number: f.messageNumber, marks: z.array(mark).max(limits.MAX_MARKS) };
/** `more`: than fit are hidden; all of it follows by ForwardInvalidate, the last of which is `complete`. */
const told = z.strictObject({ ...toldMarks, more: f.flag });

/** Earlier updates of the device that this message may have overtaken (rule S5): what they change is marked before it is committed. */
export const overtaken = z
  .array(z.strictObject({ fid: f.fid, seq: f.seq }))
  .max(limits.MAX_MARKS)
  .optional();

/** With a promise: the device has this for its own, as long as it holds the promise (rule S1). Left out: it has not. */
export const unshared = f.flag.optional();

/** Another device has something newer hidden (rule S4). Absent: none is known. */
export const behind = f.flag.optional();

/** Whether several devices have used it lately. Absent: the device does not support sharing. */
export const verdict = f.flag.optional();

/** A user wishes this unshared (rule S1), or a folder around it. */
export const wished = f.flag.optional();

/** Which state the orders of a volume have: another number after each change of them, as long as a connection; 0: there are none. */
const revision = f.howMany;
/** With answers, to a device that takes orders: those of its volumes. A volume that is not named has none. */
export const orders = z
  .array(z.strictObject({ volume: f.volumeId, revision }))
  .max(limits.MAX_VOLUMES)
  .optional();

const order = z.enum(SHARING_ORDERS);

export const SHARING_RPCS = {
  /** A user's order about the sharing of a file or folder; null: none, the share monitor decides. */
  SetSharing: {
    ordinal: 15,
    from: 'client',
    priorityClass: 'STORE_ATTR',
    content: 'none',
    request: z.strictObject({ fid: f.fid, order: order.nullable() }),
    reply: z.strictObject({ orders }),
  },
  /** All sharing orders of a volume. */
  SharingOrders: {
    ordinal: 16,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({ volume: f.volumeId }),
    reply: z.strictObject({
      revision,
      orders: z.array(z.strictObject({ fid: f.fid, order })).max(limits.MAX_SHARING_ORDERS),
    }),
  },
  /**
   * Hidden updates (rules S2, S4): "I have updates of these that are not on their way". It comes in the step that logs them, and after each
   * Hello again for all that are left. A mark ends with its update; one without (`seq` null, of a directory, whose updates
   * have no order) when the device ends it. `ends` also where an update was taken back, superseded or lost a conflict.
   * Messages are numbered on their connection, since they may overtake each other: of what two say the later one counts.
   * Of what a device has for its own it does not tell which vnodes, only that there are some in a volume (rule S3): it marks `unsharedIn`.
   */
  ForwardInvalidate: {
    ordinal: 14,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({
      ...toldMarks,
      ends: z.array(f.fid).max(limits.MAX_MARKS),
      /** Everything hidden has been announced on this connection: other marks without an update are void. */
      complete: f.flag,
    }),
    reply: z.strictObject({}),
  },
  /**
   * The server ends promises; the reply acknowledges it (rules P2, P3) and never waits for anything else. Where the device had some of it
   * for its own (S1), it tells what it has hidden of that: in one message, for two could change places.
   */
  BreakCallback: {
    ordinal: 64,
    from: 'server',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({
      items: z.array(f.breakItem).min(1).max(limits.MAX_BREAKS),
      number: f.breakNumber.optional(),
    }),
    reply: z.strictObject({ told: told.optional() }),
  },
  /** Another device waits for updates of these files (rules S2, S5). `held`: none of them can be sent for now. */
  ServerPull: {
    ordinal: 65,
    from: 'server',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({ fids: z.array(f.fid).min(1).max(limits.MAX_MARKS) }),
    reply: z.strictObject({ held: z.array(f.fid).max(limits.MAX_MARKS) }),
  },
} as const;
