/**
 * What one end of a connection has to send: strict priority between classes, first-in first-out within one. Where it is uniform no class goes
 * before another, and all frames take turns.
 *
 * With `headersFirst` no header waits for contents of whatever class, as the real Link has it; else it waits for what is before it.
 */
import { PRIORITY_CLASSES } from '../../../shared/model/priority-class.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { Scheduling } from '../../../shared/model/scheduling.ts';
import type { OutgoingFrame, Packet } from './outgoing-frame.ts';

export interface Sending {
  readonly scheduling: Scheduling;
  readonly headersFirst: boolean;
}

export const USUAL_SENDING: Sending = { scheduling: 'priorities', headersFirst: false };

/** A Set keeps the order of insertion and forgets in constant time. */
type Frames = Set<OutgoingFrame>;

class Classes {
  readonly #sets = new Map<PriorityClass, Frames>(
    PRIORITY_CLASSES.map((name) => [name, new Set()]),
  );
  /** The most urgent first. */
  readonly inOrder = [...this.#sets.values()];

  of({ priorityClass }: OutgoingFrame): Frames {
    return this.#sets.get(priorityClass) as Frames;
  }

  first(): OutgoingFrame | null {
    for (const frames of this.inOrder) {
      if (frames.size === 0) continue;
      for (const frame of frames) return frame;
    }
    return null;
  }
}

export class SendQueue {
  readonly #contents = new Classes();
  readonly #headers = new Classes();
  readonly #turns: Frames = new Set();
  #sending = USUAL_SENDING;

  /** Before anything is in it. */
  schedule(sending: Sending): void {
    this.#sending = sending;
  }

  push(frame: OutgoingFrame): void {
    this.#of(frame).add(frame);
  }

  /** The frame whose bytes leave next. */
  peek(): OutgoingFrame | null {
    const header = this.#sending.headersFirst ? this.#headers.first() : null;
    if (header !== null) return header;
    if (this.#sending.scheduling === 'priorities') return this.#contents.first();
    for (const frame of this.#turns) return frame;
    return null;
  }

  /**
   * Takes the next bytes of it, at most `limit`; null, and it is out of the queue, where its content can't be read. Contents have a
   * place of their own when their header has left, and where turns are taken it is another's then.
   */
  take(frame: OutgoingFrame, limit: number): Packet | null {
    const before = this.#of(frame);
    const header = this.#sending.headersFirst ? frame.headerRemaining : 0;
    const packet = frame.cut(header > 0 ? Math.min(limit, header) : limit);
    const after = this.#of(frame);
    const isOver = packet === null || packet.last;
    if (isOver || before !== after || after === this.#turns) before.delete(frame);
    if (!isOver) after.add(frame);
    return packet;
  }

  remove(frame: OutgoingFrame): void {
    this.#of(frame).delete(frame);
  }

  /** Moves a frame to the end of another class. One that has left already only remembers it. */
  setClass(frame: OutgoingFrame, priorityClass: PriorityClass): void {
    if (frame.priorityClass === priorityClass) return;
    const waiting = this.#of(frame).delete(frame);
    frame.priorityClass = priorityClass;
    if (waiting) this.push(frame);
  }

  bytes(): number {
    let bytes = 0;
    for (const frames of [this.#turns, ...this.#headers.inOrder, ...this.#contents.inOrder]) {
      for (const frame of frames) bytes += frame.remaining;
    }
    return bytes;
  }

  #of(frame: OutgoingFrame): Frames {
    if (this.#sending.headersFirst && frame.headerRemaining > 0) return this.#headers.of(frame);
    return this.#sending.scheduling === 'uniform' ? this.#turns : this.#contents.of(frame);
  }
}
