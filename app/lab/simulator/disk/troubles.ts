/**
 * What is wrong with a part of a machine for now. Several faults may be at work at once; each one ends alone, and the first that
 * has something to say about a call is what the caller meets.
 */
export type Trouble<Asked extends readonly unknown[], Error> = (...asked: Asked) => Error | null;

/**
 * Keeps the faults that a part of a machine has for now, and gives the first that concerns a call.
 */
export class Troubles<Asked extends readonly unknown[], Error> {
  readonly #all = new Set<Trouble<Asked, Error>>();

  get any(): boolean {
    return this.#all.size > 0;
  }

  /** Gives how to end it; nothing where it has ended. */
  add(trouble: Trouble<Asked, Error>): () => void {
    // One that is added twice is two.
    const own: Trouble<Asked, Error> = (...asked) => trouble(...asked);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /** What this call meets; null: nothing. */
  first(...asked: Asked): Error | null {
    for (const trouble of this.#all) {
      const met = trouble(...asked);
      if (met !== null) return met;
    }
    return null;
  }
}
