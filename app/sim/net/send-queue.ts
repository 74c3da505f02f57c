/** What one end of a connection has to send: strict priority between classes, first-in first-out within one. */
import { PRIORITY_CLASSES } from '../../../shared/model/priority-class.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { OutgoingFrame } from './outgoing-frame.ts';

export class SendQueue {
  /** A Set keeps the order of insertion and forgets in constant time. */
  readonly #classes = new Map<PriorityClass, Set<OutgoingFrame>>(
    PRIORITY_CLASSES.map((name) => [name, new Set()]),
  );
  /** The most urgent first. */
  readonly #inOrder = [...this.#classes.values()];

  push(frame: OutgoingFrame): void {
    this.#classes.get(frame.priorityClass)?.add(frame);
  }

  /** The frame whose bytes leave next. */
  peek(): OutgoingFrame | null {
    for (const frames of this.#inOrder) {
      if (frames.size === 0) continue;
      for (const frame of frames) return frame;
    }
    return null;
  }

  remove(frame: OutgoingFrame): void {
    this.#classes.get(frame.priorityClass)?.delete(frame);
  }

  /** Moves a frame to the end of another class. One that has left already only remembers it. */
  setClass(frame: OutgoingFrame, priorityClass: PriorityClass): void {
    if (frame.priorityClass === priorityClass) return;
    const waiting = this.#classes.get(frame.priorityClass)?.delete(frame) ?? false;
    frame.priorityClass = priorityClass;
    if (waiting) this.push(frame);
  }

  bytes(): number {
    let bytes = 0;
    for (const frames of this.#classes.values()) {
      for (const frame of frames) bytes += frame.remaining;
    }
    return bytes;
  }
}
