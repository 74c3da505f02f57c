/**
 * One sync for many callers. A sync makes durable what was done before it began, so all callers that come while one is
 * under way shares the next one.
 */
export class SharedSync {
  readonly #sync: () => Promise<void>;
  /** The one under way, or the last one; never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  /** The one to begin after that, which new callers join. */
  #next: Promise<void> | null = null;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves when a sync that began after this call is done. */
  request(): Promise<void> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<void> {
    await this.#last;
    this.#next = null;
    const sync = this.#sync();
    this.#last = sync.catch(() => undefined);
    return sync;
  }
}
