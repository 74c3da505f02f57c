/**
 * One direction of one connection, as QUIC is to its user: reliable, and in order within one stream. Streams (one for each
 * RPC) are independent: a packet that was lost holds up those behind it in its own stream, and others overtake it. What
 * ends a stream or the connection is in no order with what was sent on it before.
 *
 * What meets a path that delivers nothing stays, and is sent again when the path is whole, a little later. Nothing is lost
 * or doubled while the connection lives.
 */
import type { Schedule } from '../clock/virtual-time.ts';
import { Limit } from './limit.ts';
import type { OutgoingFrame, Packet } from './outgoing-frame.ts';
import type { Pipe, Sender } from './pipe.ts';
import { SendQueue } from './send-queue.ts';

/** After an outage: the probe time-out has grown meanwhile, so the first packet goes out late. */
const RECOVERY_MS = 300;

export interface LaneEvents {
  arrived(packet: Packet): void;
  /** So many bytes of contents leave now. */
  left(bytes: number): void;
  /** The content's file could not be read in full. */
  unreadable(frame: OutgoingFrame): void;
}

/** What is on its way in one stream, first in first out: each arrival delivers the oldest. */
class Stream {
  readonly flying: Array<() => void> = [];
  lastArrival = 0;
}

/** Carries the packets of one direction of a connection, in order within each stream. */
export class Lane implements Sender {
  readonly label: string;
  readonly pipe: Pipe;
  readonly queue = new SendQueue();
  readonly #time: Schedule;
  readonly #events: LaneEvents;
  /** Of the streams in which something is on its way, by what names them. */
  readonly #streams = new Map<object, Stream>();
  /** Arrivals that met a path that delivers nothing and must happen again. */
  #lost: Array<(label: string) => void> = [];
  #open = false;
  #stranded = false;
  #dead = false;
  #stopped = false;
  readonly #limit = new Limit();
  /** The pipe is to be woken when the limit lets more leave. */
  #waits = false;

  constructor(time: Schedule, pipe: Pipe, label: string, events: LaneEvents) {
    this.#time = time;
    this.pipe = pipe;
    this.label = label;
    this.#events = events;
    pipe.join(this);
  }

  /** Nothing arrives at the other side now. */
  get blocked(): boolean {
    return this.#dead || this.#stranded || !this.pipe.delivers;
  }

  /** The other side hears something now: that we are there, if there is nothing else. */
  get heard(): boolean {
    return !this.blocked && this.pipe.heard;
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

  /** Nothing will ever arrive again. */
  kill(): void {
    this.#dead = true;
    this.#lost = [];
    this.#streams.clear();
  }

  /** The path may be whole again. */
  recover(): void {
    if (this.blocked) return;
    this.pipe.wake();
    const lost = this.#lost;
    this.#lost = [];
    for (const again of lost) again(`${this.label} again`);
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

  /** A message of the connection itself: small, ahead of all frames. In order with what names the same stream. */
  post(label: string, run: () => void, stream: object | null = null): void {
    const of = stream === null ? new Stream() : this.#stream(stream);
    of.flying.push(run);
    this.#arriveIn(0, `${this.label} ${label}`, of, stream);
  }

  take(limit: number): Packet | null {
    if (!this.#open || this.#stopped || this.#stranded || this.#dead) return null;
    for (;;) {
      const next = this.#next(limit);
      if (next === null) return null;
      const { frame, most } = next;
      const packet = this.queue.take(frame, most);
      if (packet !== null) {
        this.#contentLeaves(packet.content.length);
        return packet;
      }
      this.#time.soon(`${this.label} source fails`, () => this.#events.unreadable(frame));
    }
  }

  /** Bounds the contents that leave, bytes a second; null: nothing does. */
  limit(bytesPerSecond: number | null): void {
    this.#limit.set(bytesPerSecond, this.#time.now());
    this.pipe.wake();
  }

  left(packet: Packet): void {
    const { frame } = packet;
    const what = packet.last ? `${frame.kind} ${frame.priorityClass} of ${frame.bytes}` : 'packet';
    this.post(what, () => this.#events.arrived(packet), frame.stream);
  }

  /** What leaves next, and how much of it may. Where contents wait for the limit, headers go past them. */
  #next(limit: number): { frame: OutgoingFrame; most: number } | null {
    const frame = this.queue.peek();
    if (frame === null || this.#limit.rate === null) return frame && { frame, most: limit };
    const { headerRemaining, remaining } = frame;
    if (headerRemaining > 0) return { frame, most: Math.min(limit, headerRemaining) };
    const wanted = Math.min(limit, remaining);
    const most = this.#limit.room(wanted, this.#time.now());
    if (most > 0) return { frame, most };
    this.#wakeIn(this.#limit.waitFor(wanted));
    const header = this.queue.firstHeader();
    return header && { frame: header, most: Math.min(limit, header.headerRemaining) };
  }

  #contentLeaves(bytes: number): void {
    if (bytes === 0) return;
    this.#limit.spent(bytes);
    this.#events.left(bytes);
  }

  #wakeIn(ms: number): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#time.in(ms, `${this.label} limit`, () => {
      this.#waits = false;
      this.pipe.wake();
    });
  }

  #stream(named: object): Stream {
    const known = this.#streams.get(named) ?? new Stream();
    this.#streams.set(named, known);
    return known;
  }

  #arriveIn(extraMs: number, label: string, of: Stream, named: object | null): void {
    const due = this.#time.now() + this.pipe.transitMs() + extraMs;
    of.lastArrival = Math.max(of.lastArrival, due);
    this.#time.at(of.lastArrival, label, () => {
      if (this.#dead) return;
      if (this.blocked) {
        this.#lost.push((again) => this.#arriveIn(RECOVERY_MS, again, of, named));
        return;
      }
      const deliver = of.flying.shift();
      if (of.flying.length === 0 && named !== null) this.#streams.delete(named);
      deliver?.();
    });
  }
}
