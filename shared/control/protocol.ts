/**
 * The control protocol: HTTP with JSON bodies over a Unix socket (a named pipe on Windows). The socket lies in a folder
 * with mode 0700 and the peer's user is checked, so every client may do what the user may.
 *
 * The commands are in commands.ts, the operations in file-operations.ts.
 *
 * `GET /v1/status?revision=N&waitMs=M`: the snapshot; with `revision`, held until it differs, M milliseconds at most.
 * `POST /v1/command/NAME` and `POST /v1/fs/OPERATION`: a JSON body in. Every answer, of any HTTP status, is
 * `{"ok": true, "result": ...}` or `{"ok": false, "error": {"code", "message", "remedy"}}`; where there is nothing to
 * say, `result` is null.
 *
 * `GET /v1/calls` with an upgrade to a WebSocket: calls for files, for programs that make many. Each text message
 * `{"id": N, "call": OPERATION, "args": ...}` is answered by one, `{"id": N, "ok": ...}` and so on as above. Several may be under way, and
 * are taken in the order in which they come; a message that is no call ends the connection.
 *
 * A handle that `open` gives belongs to the connection it was opened on: only there can it be closed, and when that
 * connection ends, however it does, a handle to read is closed and one to write is abandoned. So a program keeps
 * its connection (a WebSocket, or HTTP keep-alive; the daemon never ends an idle one) for as long as it has a file open.
 */
export const CALLS_PATH = '/v1/calls';

/** A message over the WebSocket of that path; `args` are those of its operation. */
export interface FsCall {
  readonly id: number;
  readonly call: string;
  readonly args: unknown;
}

const MOST_CALL_NAME = 64;

/** By hand: it is on the way of every call, and a schema is compiled at the first. */
export function isFsCall(message: unknown): message is FsCall {
  if (typeof message !== 'object' || message === null) return false;
  const { id, call, args, ...more } = message as Partial<FsCall>;
  const isId = Number.isSafeInteger(id) && (id as number) >= 0;
  const isCall = typeof call === 'string' && call.length <= MOST_CALL_NAME;
  return isId && isCall && args !== undefined && Object.keys(more).length === 0;
}

export interface ControlError {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

export type ControlReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: ControlError };
