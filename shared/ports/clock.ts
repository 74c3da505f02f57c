import type { Duration, Instant, WallTime } from '../model/time.ts';

/** Time. `now` never goes back, counts through suspend, and has nothing to do with the wall. */
export interface Clock {
  now(): Instant;
  wall(): WallTime;
}

export interface TimerHandle {
  cancel(): void;
}

/** Timers. `run` is called once, never from inside `start`, at or after the time; not after `cancel`. */
export interface Timers {
  start(delay: Duration, run: () => void): TimerHandle;
}
