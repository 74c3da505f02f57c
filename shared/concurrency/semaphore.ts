/** Work that runs side by side, so much at a time; what waits begins in the order of asking. */
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
      // A slot passes from hand to hand: nobody who comes later gets in between.
      if (next !== undefined) next();
      else this.#free += 1;
    }
  }
}
