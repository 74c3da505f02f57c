/**
 * Syncs of one folder, shared: contents that are put into it side by side wait for the same sync, not for one each. (Those in
 * other folders have syncs of their own, at the same time; a file system with a journal makes one commit of them.)
 *
 * Invariant: a call is answered by a sync that began after the call. So all calls that come while one runs wait
 * together for the next one.
 */
export class SharedSync {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Rejects, for all who share it, where the sync fails. */
  request(): Promise<void> {
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#afterwards(this.#running);
    return this.#next;
  }

  async #afterwards(running: Promise<void>): Promise<void> {
    // Its failure is for those who shared it.
    await running.catch(() => undefined);
    this.#next = null;
    await this.#begin();
  }

  async #begin(): Promise<void> {
    const running = this.#sync();
    this.#running = running;
    try {
      await running;
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }
}
