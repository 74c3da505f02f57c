/** Work that is never done twice side by side: who asks for it while it is under way shares the one that begins after it. */
export class OneAtATime {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  get isRunning(): boolean {
    return this.#running !== null || this.#next !== null;
  }

  /** Resolves when it was done from beginning to end after the call. */
  run(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#running === null) return this.#begin();
    this.#next = this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = null;
    const mine = this.#work().finally(() => {
      if (this.#running === mine) this.#running = null;
    });
    this.#running = mine;
    return mine;
  }
}
