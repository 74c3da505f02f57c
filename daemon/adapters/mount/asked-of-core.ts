/**
 * What is being asked of the core, each with the last operation that the answer includes for certain.
 *
 * The addon may forget that an operation touched a name only when no answer of before that operation can come any more: it would be
 * taken for the present state.
 */
export class AskedOfCore {
  readonly #running = new Set<{ readonly seq: number }>();
  readonly #imported: () => number;

  /** `imported`: the last operation that the core has. */
  constructor(imported: () => number) {
    this.#imported = imported;
  }

  /** Asks, and tells the answer, in `work`. Rejects as that does. */
  async during<T>(work: (seq: number) => Promise<T>): Promise<T> {
    const asked = { seq: this.#imported() };
    this.#running.add(asked);
    try {
      return await work(asked.seq);
    } finally {
      this.#running.delete(asked);
    }
  }

  /** Every answer that is still to come includes the operations to this one. */
  oldest(): number {
    let oldest = this.#imported();
    for (const { seq } of this.#running) oldest = Math.min(oldest, seq);
    return oldest;
  }
}
