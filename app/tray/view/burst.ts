/** How much of a burst of changes is through: counted from when something began to wait to when nothing does. */

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Counts what has waited since the last time that nothing did. */
export class Burst {
  #total = 0;
  #waiting = 0;

  /** `waiting`: how many changes wait now. */
  look(waiting: number): Progress {
    if (waiting === 0) this.#total = 0;
    else if (this.#total === 0) this.#total = waiting;
    else this.#total += Math.max(0, waiting - this.#waiting);
    this.#waiting = waiting;
    return { done: this.#total - waiting, total: this.#total };
  }
}
