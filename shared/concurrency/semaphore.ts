/** Limits how much work runs in parallel; waiting work begins in the order of `run`. */
export class Semaphore {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // A slot passes directly to the next in line, so a later caller can't take it.
      if (next !== undefined) next();
      else this.#free += 1;
    }
  }
}
