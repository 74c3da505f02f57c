/** Reads the daemon's replies. The program at the socket may be of another version, or another program. */
import { GodwitError, isErrorCode } from '../wire/error-codes.ts';
import type { ControlReply } from './protocol.ts';

/** What may be an answer; `id`: of the call that it answers, over a WebSocket. */
export type UncheckedReply = Partial<ControlReply> & { readonly id?: number };

/** The result of a call. Throws a GodwitError: the one that the daemon tells, or `bad-message` for what is no answer. */
export function resultOf(reply: UncheckedReply | null): unknown {
  if (reply?.ok === true) return reply.result;
  const { code, message, remedy } = (reply?.ok === false ? reply.error : null) ?? {};
  if (typeof code !== 'string') {
    throw new GodwitError('bad-message', "the daemon's answer is not one of the control protocol");
  }
  throw isErrorCode(code)
    ? new GodwitError(code, String(message), typeof remedy === 'string' ? remedy : undefined)
    : new GodwitError('internal', `${code}: ${String(message)}`);
}

/** Null: it is no JSON. */
export function parsedReply(text: string): UncheckedReply | null {
  try {
    return JSON.parse(text) as UncheckedReply | null;
  } catch {
    return null;
  }
}

/** Why there was no answer. */
export function describeFailure(error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
      return new GodwitError('not-running');
    case 'EACCES':
    case 'EPERM':
      return new GodwitError('not-yours');
    case 'ECONNRESET':
    case 'EPIPE':
      return new GodwitError('not-running', 'the daemon ended before it had answered');
    default:
      return error;
  }
}
