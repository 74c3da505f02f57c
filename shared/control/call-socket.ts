/**
 * A program's calls for files: messages over one WebSocket on the control socket, which lasts as long as its files are open.
 *
 * HTTP for each call takes several times as long as what is asked for, above all in a program that has just begun.
 */
import type { IncomingMessage } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WebSocket } from 'ws';
import { GodwitError } from '../wire/error-codes.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import type { FsOperationName } from './file-operations.ts';
import { CALLS_PATH } from './protocol.ts';
import { describeFailure, parsedReply, resultOf } from './reply.ts';

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The WebSocket of a program to the daemon's control socket; it is opened by the first call and
 * again after it has ended.
 */
export class CallSocket {
  readonly #socketPath: string;
  #connection: CallConnection | null = null;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** The connection of the next call. Handles are of the connection that they were opened on. */
  get connection(): CallConnection {
    if (this.#connection === null || this.#connection.hasEnded)
      this.#connection = new CallConnection(this.#socketPath);
    return this.#connection;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

/** One connection with its open calls. When it ends, every open call rejects with `not-running`. */
export class CallConnection {
  readonly #socket: Socket;
  readonly #opening: Promise<unknown>;
  readonly #waiting = new Map<number, Waiting>();
  #webSocket: WebSocket | null = null;
  #last = 0;
  #ended: Error | null = null;

  constructor(socketPath: string) {
    this.#socket = createConnection(socketPath);
    this.#socket.on('error', (error) => this.#end(describeFailure(error)));
    this.#socket.on('close', () => this.#end(goneAway()));
    this.#opening = this.#open().catch((error: unknown) => this.#end(error as Error));
  }

  /** No call can be made on it any more. */
  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Calls are taken in the order in which they are made. Rejects with a GodwitError. */
  async call(operation: FsOperationName, args: unknown): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    const message = JSON.stringify({ id, call: operation, args });
    if (Buffer.byteLength(message) > MAX_BODY_BYTES) {
      throw new GodwitError('bad-message', `a call may have ${MAX_BODY_BYTES} bytes`);
    }
    if (this.#ended !== null) throw this.#ended;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    // It keeps the process alive while a call waits for a reply.
    this.#socket.ref();
    if (this.#webSocket !== null) this.#webSocket.send(message);
    else void this.#opening.then(() => this.#webSocket?.send(message));
    return answer;
  }

  close(): void {
    this.#end(goneAway());
  }

  /** The library is loaded here: most commands make no calls for files. */
  async #open(): Promise<void> {
    const { WebSocket: Line } = await import('ws');
    if (this.#ended !== null) return;
    const line = new Line(`ws://godwit${CALLS_PATH}`, {
      createConnection: () => this.#socket,
      perMessageDeflate: false,
      // As long as it has to be: a folder may have some hundred thousand names.
      maxPayload: 0,
    });
    line.on('message', (data: Buffer) => this.#take(data.toString()));
    await new Promise<void>((resolve, reject) => {
      line.on('open', resolve);
      line.on('error', (error) => reject(describeFailure(error)));
      line.on('unexpected-response', (_request, response) => {
        void refusalIn(response).then(reject);
      });
    });
    this.#webSocket = line;
  }

  #take(message: string): void {
    const reply = parsedReply(message);
    const id = reply?.id ?? 0;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      const why = "the daemon's answer is not one of the control protocol";
      return this.#end(new GodwitError('bad-message', why));
    }
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#socket.unref();
    try {
      waiting.resolve(resultOf(reply));
    } catch (error) {
      waiting.reject(error);
    }
  }

  #end(why: Error): void {
    if (this.#ended !== null) return;
    this.#ended = why;
    this.#socket.destroy();
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
  }
}

const goneAway = (): GodwitError =>
  new GodwitError('not-running', 'the daemon ended before it had answered');

/** The daemon takes no calls from here, or it knows no such calls. */
async function refusalIn(response: IncomingMessage): Promise<Error> {
  try {
    resultOf(parsedReply(await text(response)));
  } catch (error) {
    if (error instanceof GodwitError && error.code !== 'bad-message') return error;
  }
  return new GodwitError('bad-message', 'the daemon is of another version');
}
