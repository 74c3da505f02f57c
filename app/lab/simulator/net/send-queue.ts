/**
 * What one end of a connection has to send: strict priority between classes, first-in first-out within one, but for contents that somebody waits for:
 * of these what is short does not wait for what is long (sojourn-order.ts). Where it is uniform no class goes before another, and all frames take
 * turns.
 *
 * With `isFifo` all of it is one queue, first in first out, also what is made more urgent: what the papers had without priorities.
 *
 * With `headersFirst` no header waits for contents of any class, as in the real transport; else it waits for what is before it.
 */
import { PRIORITY_CLASSES } from '../../../../shared/model/priority-class.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { OutgoingFrame, Packet } from './outgoing-frame.ts';
import { FifoOrder, TurnOrder, type SendOrder } from './send-order.ts';
import { SojournOrder } from './sojourn-order.ts';

export interface Sending {
  readonly scheduling: Scheduling;
  readonly headersFirst: boolean;
  /** Left out: it is not. */
  readonly isFifo?: boolean;
}

export const USUAL_SENDING: Sending = { scheduling: 'priorities', headersFirst: false };

type Frames = SendOrder<OutgoingFrame>;

const inOrder = (): Frames => new FifoOrder();
const inSojourn = (name: PriorityClass): Frames =>
  name === 'FETCH' ? new SojournOrder() : new FifoOrder();

class Classes {
  readonly #orders: ReadonlyMap<PriorityClass, Frames>;
  /** The most urgent first. */
  readonly inOrder: readonly Frames[];

  constructor(orderOf: (name: PriorityClass) => Frames) {
    this.#orders = new Map(PRIORITY_CLASSES.map((name) => [name, orderOf(name)]));
    this.inOrder = [...this.#orders.values()];
  }

  of({ priorityClass }: OutgoingFrame): Frames {
    return this.#orders.get(priorityClass) as Frames;
  }

  first(): OutgoingFrame | null {
    for (const frames of this.inOrder) {
      const first = frames.first();
      if (first !== null) return first;
    }
    return null;
  }
}

/** Orders the frames that one end has to send, by class or by turns. */
export class SendQueue {
  readonly #contents = new Classes(inSojourn);
  readonly #headers = new Classes(inOrder);
  /** Of all frames, where no class goes before another. */
  #one: Frames = new TurnOrder();
  #sending = USUAL_SENDING;

  /** Before anything is in it. */
  schedule(sending: Sending): void {
    this.#sending = sending;
    this.#one = sending.isFifo === true ? new FifoOrder() : new TurnOrder();
  }

  push(frame: OutgoingFrame): void {
    this.#of(frame).add(frame, frame.remaining);
  }

  /** The frame whose bytes leave next. */
  peek(): OutgoingFrame | null {
    const header = this.#sending.headersFirst ? this.#headers.first() : null;
    if (header !== null) return header;
    return this.#isOne ? this.#one.first() : this.#contents.first();
  }

  /** The most urgent frame whose header has not left; null: there is none. */
  firstHeader(): OutgoingFrame | null {
    for (const frames of [...this.#headers.inOrder, ...this.#contents.inOrder, this.#one]) {
      for (const frame of frames) if (frame.headerRemaining > 0) return frame;
    }
    return null;
  }

  /**
   * Takes the next bytes of it, at most `limit`; null, and it is out of the queue, where its content can't be read. Contents have a
   * place of their own when their header has left.
   */
  take(frame: OutgoingFrame, limit: number): Packet | null {
    const before = this.#of(frame);
    const header = this.#sending.headersFirst ? frame.headerRemaining : 0;
    const packet = frame.cut(header > 0 ? Math.min(limit, header) : limit);
    if (packet === null) {
      before.remove(frame);
      return null;
    }
    before.served(frame, packet.bytes);
    if (packet.last) before.done(frame);
    else if (this.#of(frame) !== before) {
      before.remove(frame);
      this.push(frame);
    }
    return packet;
  }

  remove(frame: OutgoingFrame): void {
    this.#of(frame).remove(frame);
  }

  /** Moves a frame to another class. One that has left already only remembers it. */
  setClass(frame: OutgoingFrame, priorityClass: PriorityClass): void {
    if (frame.priorityClass === priorityClass) return;
    if (this.#sending.isFifo === true) {
      frame.priorityClass = priorityClass;
      return;
    }
    const waiting = this.#of(frame).remove(frame);
    frame.priorityClass = priorityClass;
    if (waiting) this.push(frame);
  }

  bytes(): number {
    let bytes = 0;
    for (const frames of [this.#one, ...this.#headers.inOrder, ...this.#contents.inOrder]) {
      for (const frame of frames) bytes += frame.remaining;
    }
    return bytes;
  }

  #of(frame: OutgoingFrame): Frames {
    if (this.#sending.headersFirst && frame.headerRemaining > 0) return this.#headers.of(frame);
    return this.#isOne ? this.#one : this.#contents.of(frame);
  }

  get #isOne(): boolean {
    return this.#sending.isFifo === true || this.#sending.scheduling === 'uniform';
  }
}
