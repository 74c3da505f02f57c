/**
 * A part of a list of the daemon, asked for anew when the status has changed or another part is to be seen. One question at a time, and
 * none sooner than some times what the last one took: the queue of a hundred thousand is not counted for nothing.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Range } from './virtual-list.tsx';

const REST_SHARE = 4;
const LEAST_REST_MS = 200;

export interface Part<T> {
  readonly total: number;
  readonly from: number;
  readonly entries: readonly T[];
}

const NOTHING: Part<never> = { total: 0, from: 0, entries: [] };

export function useRange<T>(
  ask: (range: Range) => Promise<Part<T>>,
  revision: number,
): { readonly part: Part<T>; readonly see: (range: Range) => void; readonly again: () => void } {
  const [part, setPart] = useState<Part<T>>(NOTHING);
  const [asker] = useState(() => new Asker<T>(setPart));
  const latest = useRef(ask);
  latest.current = ask;
  asker.ask = (range) => latest.current(range);
  useEffect(() => asker.want(), [revision]);
  useEffect(() => () => asker.end(), []);
  return { part, see: (range) => asker.see(range), again: () => asker.want() };
}

class Asker<T> {
  ask: (range: Range) => Promise<Part<T>> = () => Promise.reject(new Error('nobody to ask'));
  readonly #told: (part: Part<T>) => void;
  #range: Range = { from: 0, count: 20 };
  #isWanted = false;
  #isBusy = false;
  #ended = false;
  /** Ends the rest: somebody looks at another part. */
  #wake: () => void = () => undefined;

  constructor(told: (part: Part<T>) => void) {
    this.#told = told;
  }

  see(range: Range): void {
    if (range.from === this.#range.from && range.count === this.#range.count) return;
    this.#range = range;
    this.want();
    this.#wake();
  }

  want(): void {
    this.#isWanted = true;
    if (!this.#isBusy) void this.#run();
  }

  end(): void {
    this.#ended = true;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#isWanted && !this.#ended) {
      this.#isWanted = false;
      const began = performance.now();
      const part = await this.ask(this.#range).catch(() => null);
      if (part !== null && !this.#ended) this.#told(part);
      const rest = Math.max(LEAST_REST_MS, REST_SHARE * (performance.now() - began));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, rest);
      });
    }
    this.#isBusy = false;
  }
}
