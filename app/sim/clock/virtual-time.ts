/**
 * The time of a simulated world: a queue of events, run in the order of their time, and of their insertion where
 * times are equal. Nothing happens between two events.
 */
import { instant } from '../../../shared/model/time.ts';
import type { Instant } from '../../../shared/model/time.ts';
import { assert } from '../../../shared/util/assert.ts';
import { Heap } from '../../../shared/util/heap.ts';

export interface ScheduledEvent {
  readonly at: Instant;
  readonly label: string;
  cancel(): void;
}

/** Where something waits for its time: the world's, or that of one machine in it. */
export interface Schedule {
  now(): Instant;
  /** Runs at a point in time; at once, but not before this call returns, where it has passed. */
  at(time: number, label: string, run: () => void): ScheduledEvent;
  /** Runs after a time in milliseconds. */
  in(delayMs: number, label: string, run: () => void): ScheduledEvent;
  /** Runs next, after what is due now already. */
  soon(label: string, run: () => void): ScheduledEvent;
}

interface Entry {
  readonly at: Instant;
  readonly label: string;
  run: (() => void) | null;
}

export class VirtualTime implements Schedule {
  readonly #queue = new Heap<Entry>((a, b) => a.at - b.at);
  #now: Instant;

  constructor(start: Instant = instant(0)) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  at(time: number, label: string, run: () => void): ScheduledEvent {
    assert(!Number.isNaN(time), 'an event has a time', { label });
    const entry: Entry = { at: instant(Math.max(time, this.#now)), label, run };
    if (time !== Number.POSITIVE_INFINITY) this.#queue.push(entry);
    return {
      at: entry.at,
      label,
      cancel: () => {
        entry.run = null;
      },
    };
  }

  in(delayMs: number, label: string, run: () => void): ScheduledEvent {
    return this.at(this.#now + Math.max(delayMs, 0), label, run);
  }

  soon(label: string, run: () => void): ScheduledEvent {
    return this.at(this.#now, label, run);
  }

  /** When the next event is, or null where there is none. */
  next(): Instant | null {
    this.#dropCancelled();
    return this.#queue.peek()?.at ?? null;
  }

  /** Runs one event and says which; null where there is none. */
  step(): { readonly at: Instant; readonly label: string } | null {
    this.#dropCancelled();
    const entry = this.#queue.pop();
    if (entry === undefined) return null;
    this.#now = entry.at;
    const run = entry.run;
    entry.run = null;
    run?.();
    return entry;
  }

  /** Lets time pass in which nothing happens. */
  skipTo(time: Instant): void {
    const next = this.next();
    assert(next === null || next >= time, 'no event is skipped', { next, time });
    if (time > this.#now) this.#now = time;
  }

  #dropCancelled(): void {
    while (this.#queue.peek()?.run === null) this.#queue.pop();
  }
}
