/**
 * The real Clock and Timers.
 *
 * The clock reads the Host's time since boot, which counts through suspend (rule P1: a laptop that slept for an hour must
 * not believe in its lease). Without a Host it falls back to the process's own monotonic clock, which stands still meanwhile;
 * that does for tools and tests, not for a daemon.
 *
 * Node's timers stand still during suspend too and may ring a millisecond early, so a timer here sleeps in slices and rings
 * when the *clock* has reached its time: at most one slice late after a suspend, and never early.
 */
import { after, instant, wallTime } from '../model/time.ts';
import type { Duration, Instant, WallTime } from '../model/time.ts';
import type { Clock, TimerHandle, Timers } from '../ports/clock.ts';
import type { Host } from '../ports/host.ts';

/** The longest sleep: how late a timer may ring after a suspend, against wake-ups of an idle laptop. */
const SLICE_MS = 10_000;

/**
 * The clocks of this machine. With a host, the monotonic one counts through suspend; without, it
 * may not.
 */
export class SystemClock implements Clock {
  readonly #read: () => number;

  constructor(host: Pick<Host, 'bootTimeMs'> | null = null) {
    this.#read = host === null ? () => performance.now() : () => host.bootTimeMs();
  }

  now(): Instant {
    return instant(this.#read());
  }

  wall(): WallTime {
    return wallTime(Date.now());
  }
}

/** Timers of this process that ring by the given clock, at most SLICE_MS late after a suspend. */
export class SystemTimers implements Timers {
  readonly #clock: Clock;
  readonly #unref: boolean;

  /** `unref`: a waiting timer does not keep the process alive. */
  constructor(clock: Clock, options: { unref?: boolean } = {}) {
    this.#clock = clock;
    this.#unref = options.unref ?? false;
  }

  start(delay: Duration, run: () => void): TimerHandle {
    const due = after(this.#clock.now(), delay);
    let timeout: NodeJS.Timeout | null = null;
    const sleep = (): void => {
      const left = due - this.#clock.now();
      timeout = setTimeout(wake, Math.min(Math.max(Math.ceil(left), 0), SLICE_MS));
      if (this.#unref) timeout.unref();
    };
    const wake = (): void => {
      if (this.#clock.now() < due) return sleep();
      timeout = null;
      run();
    };
    sleep();
    return {
      cancel: () => {
        if (timeout !== null) clearTimeout(timeout);
        timeout = null;
      },
    };
  }
}
