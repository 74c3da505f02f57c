/** What devices answer to the server's own calls. */
import type { Fid } from '../../shared/model/fid.ts';
import { decodeReply } from '../../shared/wire/codec.ts';
import type { HiddenMarks } from '../core/events.ts';

/** An answer that is none says nothing. */
export function heldIn(header: Uint8Array): Fid[] {
  try {
    const reply = decodeReply('ServerPull', header);
    return reply.ok ? reply.body.held : [];
  } catch {
    return [];
  }
}

/**
 * Decodes a device's answer to a break; `hidden` is set where it reports hidden updates. Null: the
 * answer is a failure, or can not be decoded.
 */
export function acknowledgementIn(header: Uint8Array): { hidden?: HiddenMarks } | null {
  try {
    const reply = decodeReply('BreakCallback', header);
    if (!reply.ok) return null;
    const { told } = reply.body;
    return told === undefined ? {} : { hidden: told };
  } catch {
    return null;
  }
}
