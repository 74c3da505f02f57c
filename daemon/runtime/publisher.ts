/**
 * Publishes status snapshots with a growing revision, four a second at most to those who follow them. Who asks once gets what is so then: it may have
 * waited for a flush or given a name just before.
 *
 * A snapshot is computed only if a client reads it or waits for one. While one waits, it is
 * looked again now and then: a front end settles without telling anybody. Where that takes long (a queue of a hundred thousand) it is done
 * less often: being watched takes a fiftieth of the time at most (WATCH_SHARE).
 */
import { elapsed, milliseconds, type Duration, type Instant } from '../../shared/model/time.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import type { Clock, TimerHandle, Timers } from '../../shared/ports/clock.ts';
import { REVISION_INTERVAL, WATCH_SHARE } from '../limits.ts';

export type Unnumbered = Omit<StatusSnapshot, 'revision'>;

/**
 * Publishes status snapshots. The revision grows with each change; a reader can wait for the next
 * one.
 */
export class Publisher {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #compute: () => Unnumbered;
  #current: StatusSnapshot | null = null;
  #text = '';
  #at: Instant | null = null;
  /** The time until the next one is computed for waiting clients. */
  #rest: Duration = REVISION_INTERVAL;
  #waiters = new Set<() => void>();
  #timer: TimerHandle | null = null;

  constructor(clock: Clock, timers: Timers, compute: () => Unnumbered) {
    this.#clock = clock;
    this.#timers = timers;
    this.#compute = compute;
  }

  /** The newest one that may be published by now. */
  snapshot(): StatusSnapshot {
    const now = this.#clock.now();
    const isDue = this.#at === null || elapsed(this.#at, now) >= this.#rest;
    if (this.#current === null || isDue) return this.#publish();
    return this.#current;
  }

  /** As it is now. */
  now(): StatusSnapshot {
    return this.#publish();
  }

  /** Resolves when the revision is not `revision` any more, or after `waitMs`. */
  async changed(revision: number, waitMs: number): Promise<void> {
    if (this.snapshot().revision !== revision) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.#waiters.delete(end);
        resolve();
      };
      const timer = this.#timers.start(milliseconds(waitMs), end);
      this.#waiters.add(end);
      this.#watch();
    });
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    for (const end of [...this.#waiters]) end();
  }

  #watch(): void {
    if (this.#timer !== null || this.#waiters.size === 0) return;
    this.#timer = this.#timers.start(this.#rest, () => {
      this.#timer = null;
      this.#publish();
      this.#watch();
    });
  }

  #publish(): StatusSnapshot {
    const begun = this.#clock.now();
    const computed = this.#compute();
    const text = JSON.stringify(computed);
    const took = elapsed(begun, this.#clock.now());
    this.#rest = milliseconds(Math.max(REVISION_INTERVAL, Math.ceil(took / WATCH_SHARE)));
    if (this.#current !== null && text === this.#text) return this.#current;
    const published = { revision: (this.#current?.revision ?? 0) + 1, ...computed };
    this.#text = text;
    this.#at = this.#clock.now();
    this.#current = published;
    for (const end of [...this.#waiters]) end();
    return published;
  }
}
