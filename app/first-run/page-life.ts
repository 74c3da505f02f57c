/**
 * How long the set-up goes on being served: until its page is closed, or nobody uses it any more.
 *
 * An open page holds a request; that one's connection ends with the page, and with a reload, which is followed by another call.
 *
 * Invariants
 * 1. It ends once, with the first reason.
 * 2. It does not end while something is done for a person: what has become due meanwhile begins anew after that.
 */
import type { Duration } from '../../shared/model/time.ts';
import type { TimerHandle, Timers } from '../../shared/ports/clock.ts';
import { CLOSED, IDLE, UNOPENED } from './first-run-limits.ts';

/** Why it has ended. `left`: a person has ended the set-up, and the page of the daemon follows. */
export type PageEnd = 'left' | 'closed' | 'unopened' | 'idle' | 'interrupted';

/** Counts the pages and acts of one set-up; `ended` resolves when it is over. */
export class PageLife {
  readonly ended: Promise<PageEnd>;
  readonly #timers: Timers;
  readonly #resolve: (why: PageEnd) => void;
  #isOver = false;
  /** Runs while no page is there. */
  #away: TimerHandle | undefined;
  /** Runs from the last act of a person. */
  #idle: TimerHandle | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #held = 0;
  #hasLeft = false;

  constructor(timers: Timers) {
    this.#timers = timers;
    let resolve: (why: PageEnd) => void = () => undefined;
    this.ended = new Promise((resolved) => (resolve = resolved));
    this.#resolve = resolve;
    this.#away = this.#after(UNOPENED, 'unopened');
    this.#waitForActs();
  }

  /** A page is there, and has asked for something by itself. */
  isThere(): void {
    this.#away?.cancel();
  }

  /** Does something for a person. */
  async act<T>(work: () => Promise<T> | T): Promise<T> {
    const running = (async () => work())();
    this.#running.add(running);
    this.#away?.cancel();
    this.#idle?.cancel();
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#waitForActs();
      this.#waitForPage();
    }
  }

  /** A page holds a request. */
  holds(): void {
    this.#held++;
    this.isThere();
  }

  /** Its request is over: it was answered and comes again, or, `isGone`, its connection has ended. */
  released(isGone: boolean): void {
    this.#held--;
    if (isGone && this.#hasLeft) this.#end('left');
    else if (isGone) this.#waitForPage();
  }

  /** Resolves when nothing is done for a person any more. */
  async rest(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  /** The next page is that of the daemon. */
  leaves(): void {
    this.#hasLeft = true;
  }

  interrupt(): void {
    this.#end('interrupted');
  }

  #waitForActs(): void {
    if (this.#isOver || this.#running.size > 0) return;
    this.#idle?.cancel();
    this.#idle = this.#after(IDLE, 'idle');
  }

  #waitForPage(): void {
    if (this.#isOver || this.#running.size > 0 || this.#held > 0) return;
    this.#away?.cancel();
    this.#away = this.#after(CLOSED, this.#hasLeft ? 'left' : 'closed');
  }

  #after(delay: Duration, why: PageEnd): TimerHandle {
    return this.#timers.start(delay, () => this.#end(why));
  }

  #end(why: PageEnd): void {
    this.#isOver = true;
    this.#away?.cancel();
    this.#idle?.cancel();
    this.#resolve(why);
  }
}
