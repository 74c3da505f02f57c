/** Urgent messages over a line, one after the other, whether those before are answered or not. */
import { setTimeout as wait } from 'node:timers/promises';

/** How long the last urgent messages are waited for. */
export const NO_ANSWER_MS = 5000;
/** Without bulk. */
export const IDLE_MESSAGES = 11;
/** Between two of them, more or less by chance so that they fall on no beat. */
const BETWEEN_MS = 100;
const BETWEEN_MORE_MS = 60;

/** What is left out is no bound. */
export interface Bounds {
  readonly count?: number;
  readonly ms?: number;
}

export interface Answers {
  /** How long the round trip of each was, milliseconds. */
  readonly answeredMs: readonly number[];
  readonly unanswered: number;
}

/**
 * Sends urgent messages at random intervals without waiting for answers, and collects their round
 * trips.
 */
export class UrgentMessages {
  readonly #roundTrip: () => Promise<number>;
  readonly #signal: AbortSignal;
  readonly #pending: Array<Promise<unknown>> = [];
  readonly #answeredMs: number[] = [];

  /** `roundTrip`: of one message, milliseconds; it never ends where there is no answer. */
  constructor(roundTrip: () => Promise<number>, signal: AbortSignal) {
    this.#roundTrip = roundTrip;
    this.#signal = signal;
  }

  async send({ count = Infinity, ms = Infinity }: Bounds): Promise<void> {
    const began = performance.now();
    while (this.#pending.length < count && performance.now() - began < ms) {
      this.#pending.push(this.#roundTrip().then((took) => this.#answeredMs.push(took)));
      const between = BETWEEN_MS + Math.random() * BETWEEN_MORE_MS;
      await wait(between, undefined, { signal: this.#signal });
    }
  }

  /** To all that were sent; waits for the last. */
  async answers(): Promise<Answers> {
    const limit = new AbortController();
    const signal = AbortSignal.any([this.#signal, limit.signal]);
    const late = wait(NO_ANSWER_MS, undefined, { signal });
    await Promise.race([Promise.all(this.#pending), late]).finally(() => limit.abort());
    late.catch(() => undefined);
    const answeredMs = [...this.#answeredMs];
    return { answeredMs, unanswered: this.#pending.length - answeredMs.length };
  }
}
