/**
 * Asks the daemon for what is shown, and again when the status has changed. It asks one question at a time, and rests after each:
 * in proportion to the time that the answer took, or longer if the daemon wants it. So a long queue that is watched costs little.
 */
import { useEffect, useRef, useState } from 'preact/hooks';

/** A question is under way for a fifth of the time at most. */
const REST_SHARE = 4;
const LEAST_REST_MS = 200;

/** Asks one question at a time and again when it is wanted, with a rest between two questions. */
export class Asker<T> {
  /** `isMore`: of the same picture as the last time, where there is one. */
  ask: (isMore: boolean) => Promise<T> = () => Promise.reject(new Error('nobody to ask'));
  /** Milliseconds that are to pass before the next question. */
  restAfter: (what: T) => number = () => 0;
  readonly #told: (what: T) => void;
  #isWanted = false;
  /** A person waits for it, also while the last question was under way: no rest before it. */
  #isUrgent = false;
  #wantsMore = false;
  #restUntil = 0;
  #isBusy = false;
  #ended = false;
  /** Ends the rest. */
  #wake: () => void = () => undefined;

  constructor(told: (what: T) => void) {
    this.#told = told;
  }

  want(): void {
    this.#isWanted = true;
    this.#begin();
  }

  wantNow(): void {
    this.#isUrgent = true;
    this.#restUntil = 0;
    this.want();
  }

  /** A person looks at something else of the same. */
  wantMore(): void {
    this.#wantsMore = true;
    this.#begin();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  #begin(): void {
    this.#wake();
    if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while ((this.#isWanted || this.#wantsMore) && !this.#ended) {
      const rest = this.#restUntil - performance.now();
      if (rest <= 0 && this.#isWanted) await this.#askAnew();
      else if (this.#wantsMore) await this.#askMore();
      else await this.#sleep(rest);
    }
    this.#isBusy = false;
  }

  async #askAnew(): Promise<void> {
    this.#isWanted = false;
    this.#isUrgent = false;
    this.#wantsMore = false;
    const began = performance.now();
    const what = await this.#tell(false);
    const took = performance.now() - began;
    const asked = what === null ? 0 : this.restAfter(what);
    const rest = Math.max(LEAST_REST_MS, REST_SHARE * took, asked);
    this.#restUntil = this.#isUrgent ? 0 : performance.now() + rest;
  }

  async #askMore(): Promise<void> {
    this.#wantsMore = false;
    await this.#tell(true);
  }

  async #tell(isMore: boolean): Promise<T | null> {
    const what = await this.ask(isMore).catch(() => null);
    if (what !== null && !this.#ended) this.#told(what);
    return what;
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The answer, null until it comes; `again` asks at once. It asks after a change of `key`, and at once after one of `edition`. */
export function useAsked<T>(
  ask: () => Promise<T>,
  key: unknown,
  edition = 0,
): { readonly told: T | null; readonly again: () => void } {
  const [told, setTold] = useState<T | null>(null);
  const [asker] = useState(() => new Asker<T>(setTold));
  const latest = useRef(ask);
  latest.current = ask;
  asker.ask = () => latest.current();
  useEffect(() => asker.want(), [key]);
  useEffect(() => asker.wantNow(), [edition]);
  useEffect(() => () => asker.end(), []);
  return { told, again: () => asker.wantNow() };
}
