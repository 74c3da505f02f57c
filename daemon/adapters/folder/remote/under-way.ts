/** What one runner has begun and not waited for: how many works, and of how many bytes. Works never reject. */
export class UnderWay {
  #count = 0;
  #bytes = 0;
  #ended: (() => void) | null = null;

  /** Resolves when `holds` of what is under way. One waits at a time. */
  async until(holds: (count: number, bytes: number) => boolean): Promise<void> {
    while (!holds(this.#count, this.#bytes)) {
      await new Promise<void>((resolve) => (this.#ended = resolve));
    }
  }

  begin(bytes: number, work: Promise<void>): void {
    this.#count += 1;
    this.#bytes += bytes;
    void work.then(() => {
      this.#count -= 1;
      this.#bytes -= bytes;
      const ended = this.#ended;
      this.#ended = null;
      ended?.();
    });
  }
}
