/** One side of one RPC: what it has sent and received so far. */
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { CallId } from '../../../../shared/ports/transport.ts';
import type { OutgoingFrame } from './outgoing-frame.ts';

/** Holds the state of one side of an RPC: its class, and the bytes sent and received. */
export class Call {
  readonly id: CallId;
  /** This side began it. */
  readonly ours: boolean;
  /** The class of what this side sends on it. */
  priorityClass: PriorityClass;
  /** The other side's view; null until the request has arrived there. */
  twin: Call | null = null;
  outgoing: OutgoingFrame | null = null;
  ended = false;
  /** Bytes of our reply that the other side has not acknowledged. */
  unheard = 0;
  /** The other side knows that we ended it: nothing that we sent on it counts there any more. */
  takenBack = false;
  sentBytes = 0;
  receivedBytes = 0;
  /** When progress was last told. */
  toldAt = Number.NEGATIVE_INFINITY;
  #chunks: Uint8Array[] = [];

  constructor(id: CallId, ours: boolean, priorityClass: PriorityClass) {
    this.id = id;
    this.ours = ours;
    this.priorityClass = priorityClass;
  }

  /** Names its stream: for both sides what the caller has of it. */
  get stream(): Call {
    return this.ours ? this : (this.twin ?? this);
  }

  receive(content: Uint8Array): void {
    if (content.length === 0) return;
    this.#chunks.push(content);
    this.receivedBytes += content.length;
  }

  /** Bytes of the content that `content` would give. */
  get held(): number {
    return this.#chunks.length === 0 ? 0 : this.receivedBytes;
  }

  /** What has been received of the content: it is given once. */
  content(): Uint8Array {
    const chunks = this.#chunks;
    this.#chunks = [];
    const [only] = chunks;
    if (chunks.length === 1 && only !== undefined) return only;
    const whole = new Uint8Array(this.receivedBytes);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }
}
