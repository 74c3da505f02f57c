/**
 * `godwit pause`, with and without an end. That it is paused, the daemon's core keeps; until when, is kept here.
 *
 * Invariants
 * 1. A pause with an end always ends: at its time, at the start of a daemon that finds it over, and never later after a start than it was to last,
 *    even if the wall clock was set.
 * 2. A pause without an end never ends by itself.
 * 3. The end is durable before the pause is, and that it is over before the pause ends: a crash between the two leaves the shorter one.
 */
import {
  after,
  instant,
  milliseconds,
  wallTime,
  type Instant,
  type WallTime,
} from '../../../shared/model/time.ts';
import type { Clock, TimerHandle, Timers } from '../../../shared/ports/clock.ts';
import type { ControlledDaemon } from '../../../shared/ports/controlled.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { Pauses } from '../control/control-services.ts';
import { OVER, type KeptEnd, type TimedEnd } from './pause-ends.ts';

/** How far the shown end may be off, after the wall clock was set, before it is published anew. */
const SHOWN_OFF_MS = 2000;

export interface TimedPauseParts {
  readonly daemon: Pick<ControlledDaemon, 'pause' | 'resume' | 'snapshot'>;
  readonly store: KeptEnd<TimedEnd>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Changes with each start of the machine; null: the system can't tell. */
  readonly boot: string | null;
}

/** Pauses by time alone; those by the network are beside it (network-pause.ts). */
type ByTime = Omit<Pauses, 'pauseUntilNetworkChanges' | 'untilNetworkChanges'>;

/** Pauses with and without an end. An end is durable before its pause begins. */
export class TimedPause implements ByTime {
  readonly #parts: TimedPauseParts;
  #due: Instant | null = null;
  #shown: WallTime | null = null;
  #timer: TimerHandle | null = null;
  #edition = 0;
  readonly #listeners = new Set<() => void>();

  /** At the start of a daemon, which knows whether it was paused. */
  constructor(parts: TimedPauseParts) {
    this.#parts = parts;
    const { daemon, store, log } = parts;
    const end = store.load();
    if (end === null) return;
    const left = this.#leftOf(end);
    if (left > 0) {
      daemon.pause();
      this.#endIn(left, end.until);
    } else if (daemon.snapshot().paused) {
      log.info('the pause is over');
      daemon.resume();
    }
  }

  /** Grows whenever the end becomes another one. */
  get edition(): number {
    return this.#edition;
  }

  /** On the wall clock as it is now; null: nothing is paused, or without an end. */
  get until(): WallTime | null {
    if (this.#due === null) return null;
    const { clock } = this.#parts;
    const until = Math.round(clock.wall() + (this.#due - clock.now()));
    if (this.#shown === null || Math.abs(until - this.#shown) > SHOWN_OFF_MS) {
      this.#shown = wallTime(until);
    }
    return this.#shown;
  }

  /** `changed` is called when the end becomes another one, until what this gives is called. */
  listen(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  /** Replaces an earlier pause. `forMs` null: until `resume`. Throws `disk-full` or `folder-unusable`, with nothing changed. */
  pause(forMs: number | null): void {
    const { daemon, store, clock, boot } = this.#parts;
    const until = clock.wall() + (forMs ?? 0);
    if (forMs === null && store.load() !== null) store.remove();
    if (forMs !== null) store.save({ until, forMs, boot, due: clock.now() + forMs });
    this.#forget();
    if (forMs !== null) this.#endIn(forMs, until);
    daemon.pause();
    this.#notify();
  }

  resume(): void {
    const { daemon, store, log } = this.#parts;
    const hadEnd = store.load() !== null;
    try {
      if (hadEnd) store.save(OVER);
    } catch (error) {
      // It goes on all the same; at most a start of the daemon before the end is paused once more.
      log.warn('that the pause is over could not be written down', {
        why: (error as Error).message,
      });
    }
    this.#forget();
    daemon.resume();
    this.#notify();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#notify();
  }

  #endIn(ms: number, until: number): void {
    const { clock, timers, log } = this.#parts;
    this.#due = after(clock.now(), milliseconds(ms));
    this.#shown = wallTime(until);
    this.#timer = timers.start(milliseconds(ms), () => {
      this.#timer = null;
      log.info('the pause is over');
      this.resume();
    });
  }

  #forget(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#due = null;
    this.#shown = null;
  }

  #leftOf({ until, forMs, boot, due }: TimedEnd): number {
    const { clock } = this.#parts;
    const isSameStart = boot !== null && boot === this.#parts.boot;
    const left = isSameStart ? instant(due) - clock.now() : until - clock.wall();
    return Math.min(left, forMs);
  }

  #notify(): void {
    this.#edition += 1;
    for (const changed of [...this.#listeners]) changed();
  }
}
