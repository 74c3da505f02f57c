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

/** Runs `work` for each item, `width` at a time, begun in order. Rejects with the first failure, when all have ended. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const runner = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const item = items[next++] as T;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, runner));
  if (failures.length > 0) throw failures[0];
}
