/** Work that goes on a few at a time; the rest waits, the most urgent first, in order of arrival within that. */

export interface Turn {
  /** 0 is the most urgent. */
  readonly urgency: number;
  /** Who asked. */
  readonly whose: string;
}

interface Waiting extends Turn {
  readonly go: () => void;
}

/** Runs a bounded number of tasks at a time, the most urgent first. */
export class WorkQueue {
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  waitingOf(whose: string): number {
    return this.#waiting.filter((each) => each.whose === whose).length;
  }

  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(turn);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next.go();
    }
  }

  #wait(turn: Turn): Promise<void> {
    return new Promise((go) => {
      const behind = this.#waiting.findIndex(({ urgency }) => urgency > turn.urgency);
      const at = behind < 0 ? this.#waiting.length : behind;
      this.#waiting.splice(at, 0, { ...turn, go });
    });
  }
}
