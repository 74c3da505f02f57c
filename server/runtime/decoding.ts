/** Messages that are being decoded in parts: of each connection only so many bytes wait, and what is taken back or cut off meanwhile is dropped. */
import type { CallId, ConnectionId } from '../../shared/ports/transport.ts';
import { MOST_BYTES_DECODING } from '../limits.ts';

interface Message {
  readonly connection: ConnectionId;
  readonly bytes: number;
}

/** Tracks the messages whose decoding has begun and not ended. */
export class Decoding {
  readonly #messages = new Map<CallId, Message>();
  readonly #bytes = new Map<ConnectionId, number>();

  /** False: too much of this connection waits already, and it is to be decoded at one go. */
  begins(connection: ConnectionId, call: CallId, bytes: number): boolean {
    const waiting = (this.#bytes.get(connection) ?? 0) + bytes;
    if (waiting > MOST_BYTES_DECODING) return false;
    this.#bytes.set(connection, waiting);
    this.#messages.set(call, { connection, bytes });
    return true;
  }

  /** It is decoded, or taken back. False: it is not among them, or not any more. */
  ended(call: CallId): boolean {
    const message = this.#messages.get(call);
    if (message === undefined) return false;
    this.#messages.delete(call);
    const { connection, bytes } = message;
    const left = (this.#bytes.get(connection) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(connection, left);
    else this.#bytes.delete(connection);
    return true;
  }

  closed(connection: ConnectionId): void {
    for (const [call, message] of this.#messages) {
      if (message.connection === connection) this.#messages.delete(call);
    }
    this.#bytes.delete(connection);
  }
}
