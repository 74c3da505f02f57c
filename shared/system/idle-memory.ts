/**
 * Gives memory back after work. What a program needed for a burst (ten thousand new files, say) stays with its heap until something new
 * wants it, and in a program that rests nothing does: the engine collects when memory is asked for, not when it is idle.
 *
 * So callers report work here, in rows written; when enough was done and then none for a while, everything is collected, once.
 */
import { after, seconds, type Instant } from '../model/time.ts';
import type { Clock, TimerHandle, Timers } from '../ports/clock.ts';

/** Rows after which it is worth a tenth of a second: less leaves hardly anything behind. */
const WORTH_ROWS = 2000;
/** No work for so long is rest. */
const REST = seconds(1);

export interface IdleMemoryParts {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Collects all that can be collected. */
  readonly collect: () => void;
}

/**
 * Returns memory to the system when a burst of work is over: it collects garbage after enough rows
 * and a pause.
 */
export class IdleMemory {
  readonly #parts: IdleMemoryParts;
  #rows = 0;
  #restedAt: Instant | null = null;
  #timer: TimerHandle | null = null;

  constructor(parts: IdleMemoryParts) {
    this.#parts = parts;
  }

  /** `rows` left out: enough, as a start is. */
  worked(rows = WORTH_ROWS): void {
    this.#rows += rows;
    if (this.#rows < WORTH_ROWS) return;
    this.#restedAt = after(this.#parts.clock.now(), REST);
    this.#timer ??= this.#parts.timers.start(REST, () => this.#look());
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    // Nothing is begun any more.
    this.#rows = Number.NEGATIVE_INFINITY;
  }

  #look(): void {
    const { clock, timers, collect } = this.#parts;
    this.#timer = null;
    const left = (this.#restedAt ?? clock.now()) - clock.now();
    if (left > 0) {
      this.#timer = timers.start(left as typeof REST, () => this.#look());
      return;
    }
    this.#rows = 0;
    collect();
  }
}

/** What a program collects that was started with `--expose-gc`; nothing in others. */
export function collectAll(): void {
  const { gc } = globalThis as { gc?: (how: object) => unknown };
  gc?.({ type: 'major', flavor: 'last-resort' });
}
