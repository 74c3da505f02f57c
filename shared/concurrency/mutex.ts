/** Who may touch something that only one may touch: one at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Runs `work` when everybody who asked before is done. Resolves or rejects as `work` does. */
  take<T>(work: () => Promise<T> | T): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  /** Resolves when everybody who asked so far is done. */
  idle(): Promise<void> {
    return this.#last;
  }
}
