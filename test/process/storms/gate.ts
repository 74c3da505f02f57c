/** What programs are in, and what may be taken away only when none is: the disk that is mounted in a folder. */
export class Gate {
  #inside = 0;
  #isClosed = false;
  #waiting: Array<() => void> = [];

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when it is open; call what it gives on the way out. */
  async enter(): Promise<() => void> {
    while (this.#isClosed) await this.#change();
    this.#inside += 1;
    return () => {
      this.#inside -= 1;
      this.#changed();
    };
  }

  /** Lets nobody in, and resolves when everybody is out; call what it gives to open it. */
  async close(): Promise<() => void> {
    while (this.#isClosed) await this.#change();
    this.#isClosed = true;
    while (this.#inside > 0) await this.#change();
    return () => {
      this.#isClosed = false;
      this.#changed();
    };
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
