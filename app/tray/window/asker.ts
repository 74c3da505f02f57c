/**
 * Asks the daemon for what is shown, anew when the status has changed. One question at a time, and none sooner than some times what the
 * last one took, or than the daemon wants it: the queue of a hundred thousand is not counted for nothing, and being watched costs little.
 */
import { useEffect, useRef, useState } from 'preact/hooks';

/** A question is under way for a fifth of the time at most. */
const REST_SHARE = 4;
const LEAST_REST_MS = 200;

export class Asker<T> {
  ask: () => Promise<T> = () => Promise.reject(new Error('nobody to ask'));
  /** Milliseconds that are to pass before the next question. */
  restAfter: (what: T) => number = () => 0;
  readonly #told: (what: T) => void;
  #isWanted = false;
  #isBusy = false;
  /** It was wanted by a person, also while the last question was under way: no rest before it. */
  #isUrgent = false;
  #ended = false;
  /** Ends the rest: a person looks at something else. */
  #wake: () => void = () => undefined;

  constructor(told: (what: T) => void) {
    this.#told = told;
  }

  want(): void {
    this.#isWanted = true;
    if (!this.#isBusy) void this.#run();
  }

  /** A person waits for it. */
  wantNow(): void {
    this.#isUrgent = true;
    this.want();
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#isWanted && !this.#ended) {
      this.#isWanted = false;
      this.#isUrgent = false;
      const began = performance.now();
      const what = await this.ask().catch(() => null);
      if (what !== null && !this.#ended) this.#told(what);
      if (this.#isUrgent) continue;
      const took = performance.now() - began;
      const asked = what === null ? 0 : this.restAfter(what);
      const rest = Math.max(LEAST_REST_MS, REST_SHARE * took, asked);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, rest);
      });
    }
    this.#isBusy = false;
  }
}

/** What is told, null until then; `again` asks at once. It is asked when `key` has changed, and at once when `edition` has. */
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
