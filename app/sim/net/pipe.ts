/**
 * One direction between two hosts: a bottleneck of a rate with a queue before it, then a delay.
 *
 * The queue is what a sender has handed down and can't call back. The real transport keeps it short (the bulk window);
 * here it is a bound in milliseconds, so that a test can also show what a long one does. Everything before it stays
 * with its sender in order of priority. Connections that share a pipe take turns, packet by packet.
 */
import type { VirtualTime } from '../clock/virtual-time.ts';
import type { Packet } from './outgoing-frame.ts';

export interface PathConditions {
  /** One way. */
  readonly delayMs: number;
  /** Infinity: no bottleneck, frames travel whole. */
  readonly bytesPerSecond: number;
  /** How much the bottleneck's queue holds, as the time it takes to send it. */
  readonly queueMs: number;
}

export const LOCAL_NETWORK: PathConditions = {
  delayMs: 1,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  queueMs: 50,
};

const PACKET_BYTES = 1_200;
/** UDP, IP and QUIC around each packet. */
const OVERHEAD_BYTES = 48;

/** One direction of one connection, as its pipe sees it. */
export interface Sender {
  readonly label: string;
  /** The most urgent packet, or null where there is none or it may not leave. */
  take(limit: number): Packet | null;
  /** The packet has left the bottleneck. */
  left(packet: Packet): void;
}

export class Pipe {
  readonly label: string;
  readonly #time: VirtualTime;
  readonly #senders: Sender[] = [];
  #conditions: PathConditions;
  #up = true;
  #turn = 0;
  #queuedBytes = 0;
  #freeAt = 0;
  #woken = false;

  constructor(time: VirtualTime, label: string, conditions: PathConditions) {
    this.#time = time;
    this.label = label;
    this.#conditions = conditions;
  }

  get up(): boolean {
    return this.#up;
  }

  get delayMs(): number {
    return this.#conditions.delayMs;
  }

  /** How long a packet handed down now would wait. */
  get queueingMs(): number {
    return Math.max(this.#freeAt - this.#time.now(), 0);
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  set(conditions: Partial<PathConditions>): void {
    this.#conditions = { ...this.#conditions, ...conditions };
    this.wake();
  }

  setUp(up: boolean): void {
    this.#up = up;
    if (up) this.wake();
  }

  join(sender: Sender): void {
    this.#senders.push(sender);
  }

  leave(sender: Sender): void {
    const at = this.#senders.indexOf(sender);
    if (at >= 0) this.#senders.splice(at, 1);
  }

  /** Something may be there to send. What is queued in the same instant is sorted first. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#time.soon(`${this.label} sends`, () => {
      this.#woken = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#up && this.#hasRoom()) {
      const next = this.#next();
      if (next === null) return;
      this.#send(next.sender, next.packet);
    }
  }

  #hasRoom(): boolean {
    const { bytesPerSecond, queueMs } = this.#conditions;
    if (this.#queuedBytes === 0) return true;
    return this.#queuedBytes + PACKET_BYTES <= (bytesPerSecond * queueMs) / 1000;
  }

  #next(): { sender: Sender; packet: Packet } | null {
    const limit =
      this.#conditions.bytesPerSecond === Number.POSITIVE_INFINITY
        ? Number.POSITIVE_INFINITY
        : PACKET_BYTES;
    for (let i = 0; i < this.#senders.length; i++) {
      this.#turn = (this.#turn + 1) % this.#senders.length;
      const sender = this.#senders[this.#turn];
      const packet = sender?.take(limit) ?? null;
      if (sender !== undefined && packet !== null) return { sender, packet };
    }
    return null;
  }

  #send(sender: Sender, packet: Packet): void {
    const { bytesPerSecond } = this.#conditions;
    if (bytesPerSecond === Number.POSITIVE_INFINITY) return sender.left(packet);
    const size = packet.bytes + OVERHEAD_BYTES;
    this.#queuedBytes += size;
    this.#freeAt = Math.max(this.#freeAt, this.#time.now()) + (size / bytesPerSecond) * 1000;
    this.#time.at(this.#freeAt, `${sender.label} packet leaves`, () => {
      this.#queuedBytes -= size;
      sender.left(packet);
      this.#pump();
    });
  }
}
