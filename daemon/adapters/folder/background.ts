/**
 * Work of the folder that nobody waits for: named timers, things to do later, and what runs now. It ends with the folder;
 * what fails is told to one place.
 */
import type { Duration } from '../../../shared/model/time.ts';
import type { TimerHandle, Timers } from '../../../shared/ports/clock.ts';

export type Work = () => Promise<void> | void;

/** Runs the folder's timers and its work that nobody waits for, until the folder is closed. */
export class Background {
  readonly #abort = new AbortController();
  readonly #timers: Timers;
  readonly #failed: (error: unknown) => void;
  readonly #waiting = new Map<string, TimerHandle>();
  readonly #running = new Set<Promise<void>>();

  constructor(timers: Timers, failed: (error: unknown) => void) {
    this.#timers = timers;
    this.#failed = failed;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isWaiting(name: string): boolean {
    return this.#waiting.has(name);
  }

  /** One timer of each name at a time: a second one is left out. */
  after(name: string, delay: Duration, work: Work): void {
    if (this.signal.aborted || this.#waiting.has(name)) return;
    const timer = this.#timers.start(delay, () => {
      this.#waiting.delete(name);
      this.later(work);
    });
    this.#waiting.set(name, timer);
  }

  cancel(name: string): void {
    this.#waiting.get(name)?.cancel();
    this.#waiting.delete(name);
  }

  later(work: Work): void {
    if (this.signal.aborted) return;
    this.run(Promise.resolve().then(work));
  }

  run(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => {
        if (!this.signal.aborted) this.#failed(error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves at once when the folder ends. */
  delay(length: Duration): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this;
      if (signal.aborted) return resolve();
      const timer = this.#timers.start(length, done);
      function done(): void {
        signal.removeEventListener('abort', done);
        timer.cancel();
        resolve();
      }
      signal.addEventListener('abort', done);
    });
  }

  /** Nothing new begins. */
  stop(): void {
    this.#abort.abort();
    for (const timer of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
