/** The Clock and Timers of one simulated machine and process, on the world's time. */
import { wallTime } from '../../../../shared/model/time.ts';
import type { Duration, Instant, WallTime } from '../../../../shared/model/time.ts';
import type { Clock, TimerHandle, Timers } from '../../../../shared/ports/clock.ts';
import type { Schedule, ScheduledEvent } from './virtual-time.ts';

/** 2026-01-01T00:00:00Z: where the wall clocks of a world begin. */
const WALL_START = 1_767_225_600_000;

/** A machine's clock. Wall time is apart: people and time servers set it, forward and back. */
export class VirtualClock implements Clock {
  readonly #time: Schedule;
  #skewMs: number;

  constructor(time: Schedule, options: { wallSkewMs?: number } = {}) {
    this.#time = time;
    this.#skewMs = options.wallSkewMs ?? 0;
  }

  now(): Instant {
    return this.#time.now();
  }

  wall(): WallTime {
    return wallTime(Math.floor(WALL_START + this.#time.now() + this.#skewMs));
  }

  jumpWall(byMs: number): void {
    this.#skewMs += byMs;
  }
}

/** A process's timers. They die with it. */
export class VirtualTimers implements Timers {
  readonly #time: Schedule;
  readonly #label: string;
  readonly #waiting = new Set<ScheduledEvent>();
  #stopped = false;

  constructor(time: Schedule, label: string) {
    this.#time = time;
    this.#label = label;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  start(delay: Duration, run: () => void): TimerHandle {
    if (this.#stopped) return { cancel: () => {} };
    const event = this.#time.in(delay, `${this.#label} timer`, () => {
      this.#waiting.delete(event);
      run();
    });
    this.#waiting.add(event);
    return {
      cancel: () => {
        event.cancel();
        this.#waiting.delete(event);
      },
    };
  }

  /** The process is gone: none of its timers rings any more. */
  stop(): void {
    this.#stopped = true;
    for (const event of this.#waiting) event.cancel();
    this.#waiting.clear();
  }
}
