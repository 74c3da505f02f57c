/**
 * Calls for files over WebSockets on the control socket: many calls of a program over one connection, without what HTTP costs for each.
 *
 * Invariants
 * 1. Calls are begun in the order in which their messages come; each is answered once, whenever it is done.
 * 2. Of a connection with MAX_CALLS under way nothing more is read; one is under way until its answer has left.
 * 3. What is no call ends its connection, and nothing of it is done, nor of what comes after it.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { MAX_BODY_BYTES, MAX_CALLS } from '../../../shared/control/limits.ts';
import { FS_OPERATIONS, isOperation } from '../../../shared/control/file-operations.ts';
import {
  CALLS_PATH,
  isFsCall,
  type ControlReply,
  type FsCall,
} from '../../../shared/control/protocol.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ConnectionHandles } from './connection-handles.ts';
import { runOperation } from './control-calls.ts';
import { parseJson, validArguments } from '../../../shared/control/read-body.ts';

/** Close codes of the protocol (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;

interface SocketClient {
  readonly socket: WebSocket;
  underWay: number;
}

/**
 * Serves file calls over WebSockets, MAX_CALLS of one connection at a time. See the invariants
 * above.
 */
export class CallSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_BODY_BYTES,
  });
  readonly #failure: (error: unknown, call: string) => ControlReply;
  readonly #clients = new Set<SocketClient>();
  #closing = false;

  /** `failure`: turns an error into a reply. */
  constructor(failure: (error: unknown, call: string) => ControlReply) {
    this.#failure = failure;
  }

  /** `handles` null: the caller is refused. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    handles: ConnectionHandles | null,
  ): void {
    socket.on('error', () => socket.destroy());
    if (handles === null) {
      return refuse(socket, 403, this.#failure(new GodwitError('not-yours'), ''));
    }
    if (request.url !== CALLS_PATH || this.#closing) {
      const error = new GodwitError('bad-message', `the daemon has no calls at ${request.url}`);
      return refuse(socket, 400, this.#failure(error, ''));
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#serve(opened, handles));
  }

  /** Each connection ends with the last answer that is due. */
  close(): void {
    this.#closing = true;
    for (const client of this.#clients) this.#endIdle(client);
  }

  /** They end at once. */
  closeAll(): void {
    for (const { socket } of this.#clients) socket.terminate();
  }

  #serve(socket: WebSocket, handles: ConnectionHandles): void {
    const client: SocketClient = { socket, underWay: 0 };
    this.#clients.add(client);
    socket.on('close', () => this.#clients.delete(client));
    // Of what is no message of the protocol of WebSockets: it closes the connection itself.
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      // The reply could not be delivered.
      if (socket.readyState !== socket.OPEN) return;
      if (isBinary) return socket.close(UNSUPPORTED_DATA);
      void this.#take(client, handles, data as Buffer);
    });
    this.#endIdle(client);
  }

  async #take(client: SocketClient, handles: ConnectionHandles, data: Buffer): Promise<void> {
    const message = read(data);
    if (message === null) return client.socket.close(POLICY_VIOLATION, 'that is no call');
    client.underWay += 1;
    if (client.underWay >= MAX_CALLS) client.socket.pause();
    const { id, call, args } = message;
    const reply = await run(handles, call, args).catch((error: unknown) => {
      return this.#failure(error, call);
    });
    client.socket.send(JSON.stringify({ id, ...reply }), () => {
      client.underWay -= 1;
      if (client.underWay < MAX_CALLS) client.socket.resume();
      this.#endIdle(client);
    });
  }

  #endIdle(client: SocketClient): void {
    if (this.#closing && client.underWay === 0) client.socket.close(GOING_AWAY);
  }
}

/** Null: it is no call. */
function read(data: Buffer): FsCall | null {
  try {
    const message = parseJson(data);
    return isFsCall(message) ? message : null;
  } catch {
    return null;
  }
}

async function run(handles: ConnectionHandles, call: string, args: unknown): Promise<ControlReply> {
  if (!isOperation(call)) throw new GodwitError('bad-message', `the daemon has no call ${call}`);
  const valid = validArguments(FS_OPERATIONS[call], args);
  return { ok: true, result: (await runOperation(handles, call, valid)) ?? null };
}

function refuse(socket: Duplex, status: number, reply: ControlReply): void {
  const body = JSON.stringify(reply);
  const head = [
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Bad Request'}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
