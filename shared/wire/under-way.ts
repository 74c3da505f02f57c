/** The RPCs about contents that are under way: how much of them is here, and how urgent they are now. */
import { z } from 'zod';
import * as f from './fields.ts';
import * as limits from './limits.ts';

export const UNDER_WAY_RPCS = {
  /** How much the server has of streams that this device began to send (rule D3); 0: nothing. In the order of the question. */
  Begun: {
    ordinal: 13,
    from: 'client',
    priorityClass: 'STORE_DATA',
    content: 'none',
    request: z.strictObject({ streams: z.array(f.digest).min(1).max(limits.MAX_BEGUN) }),
    reply: z.strictObject({ lengths: z.array(f.size).max(limits.MAX_BEGUN) }),
  },
  /**
   * Raises a Fetch of this version on this connection to the class of a demand fetch. `raised` false: there is none, or the
   * question has overtaken it. A server without it answers `bad-message`, and nothing is lost.
   */
  Raise: {
    ordinal: 17,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({ fid: f.fid, version: f.version.nullable() }),
    reply: z.strictObject({ raised: f.flag }),
  },
} as const;
