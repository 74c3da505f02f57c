/**
 * The time of one machine, which may be suspended: what is due while it sleeps waits, and happens when it wakes, all at
 * once and in the order in which it was due.
 *
 * Everything of a machine that waits (timers, answers of its disk, what its Link tells) is scheduled here. A
 * program runs only in such events, so nothing of it runs while its machine sleeps. Its clock goes on meanwhile.
 */
import type { Instant } from '../../../../shared/model/time.ts';
import type { Schedule, ScheduledEvent } from './virtual-time.ts';

class Due implements ScheduledEvent {
  readonly label: string;
  /** Null: it has happened, or was cancelled. */
  run: (() => void) | null;
  readonly #event: ScheduledEvent;

  constructor(label: string, run: () => void, schedule: (due: Due) => ScheduledEvent) {
    this.label = label;
    this.run = run;
    this.#event = schedule(this);
  }

  get at(): Instant {
    return this.#event.at;
  }

  cancel(): void {
    this.run = null;
    this.#event.cancel();
  }
}

/** Schedules the events of one machine, and holds them back while it sleeps. */
export class Machine implements Schedule {
  readonly #time: Schedule;
  #asleep = false;
  #late: Due[] = [];

  constructor(time: Schedule) {
    this.#time = time;
  }

  get asleep(): boolean {
    return this.#asleep;
  }

  now(): Instant {
    return this.#time.now();
  }

  at(time: number, label: string, run: () => void): ScheduledEvent {
    return new Due(label, run, (due) => this.#time.at(time, label, () => this.#happen(due)));
  }

  in(delayMs: number, label: string, run: () => void): ScheduledEvent {
    return this.at(this.now() + Math.max(delayMs, 0), label, run);
  }

  soon(label: string, run: () => void): ScheduledEvent {
    return this.at(this.now(), label, run);
  }

  innerIn(delayMs: number, label: string, run: () => void): ScheduledEvent {
    return this.in(delayMs, label, run);
  }

  sleep(): void {
    this.#asleep = true;
  }

  wake(): void {
    this.#asleep = false;
    const late = this.#late;
    this.#late = [];
    for (const due of late) {
      if (due.run !== null) this.#time.soon(`${due.label} late`, () => this.#happen(due));
    }
  }

  #happen(due: Due): void {
    if (this.#asleep) {
      this.#late.push(due);
      return;
    }
    const { run } = due;
    due.run = null;
    run?.();
  }
}
