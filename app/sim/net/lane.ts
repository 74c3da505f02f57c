/**
 * One direction of one connection: reliable and in order, as QUIC is to its user. What meets a cut path stays and is
 * sent again when the path is whole, a little later; nothing is lost or doubled while the connection lives.
 */
import type { VirtualTime } from '../clock/virtual-time.ts';
import type { OutgoingFrame, Packet } from './outgoing-frame.ts';
import type { Pipe, Sender } from './pipe.ts';
import { SendQueue } from './send-queue.ts';

/** After an outage: the probe time-out has grown meanwhile, so the first packet goes out late. */
const RECOVERY_MS = 300;

export interface LaneEvents {
  arrived(packet: Packet): void;
  /** The content's file could not be read in full. */
  unreadable(frame: OutgoingFrame): void;
}

export class Lane implements Sender {
  readonly label: string;
  readonly pipe: Pipe;
  readonly queue = new SendQueue();
  readonly #time: VirtualTime;
  readonly #events: LaneEvents;
  /** What is on its way, first in first out: each arrival delivers the oldest. */
  readonly #flying: Array<() => void> = [];
  /** Arrivals that met a cut path and must happen again. */
  #lost = 0;
  #open = false;
  #stranded = false;
  #stopped = false;
  #lastArrival = 0;

  constructor(time: VirtualTime, pipe: Pipe, label: string, events: LaneEvents) {
    this.#time = time;
    this.pipe = pipe;
    this.label = label;
    this.#events = events;
    pipe.join(this);
  }

  /** Nothing arrives at the other side now. */
  get blocked(): boolean {
    return this.#stranded || !this.pipe.up;
  }

  /** The handshake is done: frames may leave. */
  open(): void {
    this.#open = true;
    this.pipe.wake();
  }

  /** The sender's or receiver's address has changed and the connection does not know. */
  strand(stranded: boolean): void {
    this.#stranded = stranded;
    this.recover();
  }

  /** The path may be whole again. */
  recover(): void {
    if (this.blocked) return;
    this.pipe.wake();
    const lost = this.#lost;
    this.#lost = 0;
    for (let i = 0; i < lost; i++) this.#arriveIn(RECOVERY_MS, `${this.label} again`);
  }

  /** No frame leaves any more; what is on its way still arrives. */
  stop(): void {
    this.#stopped = true;
    this.pipe.leave(this);
  }

  push(frame: OutgoingFrame): void {
    this.queue.push(frame);
    this.pipe.wake();
  }

  /** A message of the connection itself: small, ahead of all frames. */
  post(label: string, run: () => void): void {
    this.#flying.push(run);
    this.#arriveIn(0, `${this.label} ${label}`);
  }

  take(limit: number): Packet | null {
    if (!this.#open || this.#stopped || this.#stranded) return null;
    for (;;) {
      const frame = this.queue.peek();
      if (frame === null) return null;
      const packet = frame.cut(limit);
      if (packet === null || packet.last) this.queue.remove(frame);
      if (packet !== null) return packet;
      this.#time.soon(`${this.label} source fails`, () => this.#events.unreadable(frame));
    }
  }

  left(packet: Packet): void {
    const { frame } = packet;
    const what = packet.last ? `${frame.kind} ${frame.priorityClass} of ${frame.bytes}` : 'packet';
    this.post(what, () => this.#events.arrived(packet));
  }

  #arriveIn(extraMs: number, label: string): void {
    const due = this.#time.now() + this.pipe.delayMs + extraMs;
    this.#lastArrival = Math.max(this.#lastArrival, due);
    this.#time.at(this.#lastArrival, label, () => {
      if (this.blocked) this.#lost += 1;
      else this.#flying.shift()?.();
    });
  }
}
