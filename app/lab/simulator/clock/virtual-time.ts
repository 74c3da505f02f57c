/**
 * The time of a simulated world: a queue of events, run in the order of their time, and of their insertion where
 * times are equal. Nothing happens between two events.
 */
import { instant } from '../../../../shared/model/time.ts';
import type { Instant } from '../../../../shared/model/time.ts';
import { assert, AssertionFailure } from '../../../../shared/util/assert.ts';
import { EventQueue } from './event-queue.ts';

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
  /** As `in`, for what no program of the world takes notice of: it calls none and settles no promise. */
  innerIn(delayMs: number, label: string, run: () => void): ScheduledEvent;
}

class Entry implements ScheduledEvent {
  readonly at: Instant;
  readonly order: number;
  readonly label: string;
  readonly inner: boolean;
  /** Null: it has happened, or was cancelled. */
  run: (() => void) | null;

  constructor(
    { at, order, label, inner }: Pick<Entry, 'at' | 'order' | 'label' | 'inner'>,
    run: () => void,
  ) {
    this.at = at;
    this.order = order;
    this.label = label;
    this.run = run;
    this.inner = inner;
  }

  cancel(): void {
    this.run = null;
  }
}

/** Keeps the clock of a world, in milliseconds, and runs its events in order. */
export class VirtualTime implements Schedule {
  readonly #queue = new EventQueue<Entry>();
  #scheduled = 0;
  #now: Instant;

  constructor(start: Instant = instant(0)) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  at(time: number, label: string, run: () => void): ScheduledEvent {
    return this.#schedule(time, label, run, false);
  }

  in(delayMs: number, label: string, run: () => void): ScheduledEvent {
    return this.at(this.#now + Math.max(delayMs, 0), label, run);
  }

  soon(label: string, run: () => void): ScheduledEvent {
    return this.at(this.#now, label, run);
  }

  innerIn(delayMs: number, label: string, run: () => void): ScheduledEvent {
    return this.#schedule(this.#now + Math.max(delayMs, 0), label, run, true);
  }

  /** When the next event is, or null where there is none. */
  next(): Instant | null {
    this.#dropCancelled();
    return this.#queue.peek()?.at ?? null;
  }

  /** Runs one event and says which; null where there is none. `inner`: no program took notice of it. */
  step(): { readonly at: Instant; readonly label: string; readonly inner: boolean } | null {
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

  #schedule(time: number, label: string, run: () => void, inner: boolean): Entry {
    if (Number.isNaN(time)) throw new AssertionFailure('an event has a time', { label });
    const at = time > this.#now ? instant(time) : this.#now;
    const entry = new Entry({ at, order: this.#scheduled++, label, inner }, run);
    if (time !== Number.POSITIVE_INFINITY) this.#queue.push(entry);
    return entry;
  }

  #dropCancelled(): void {
    while (this.#queue.peek()?.run === null) this.#queue.pop();
  }
}
