/**
 * Work of many clients, a queue for each, and whose turn it is by the cost of its work. Pure: the caller that does the work says what it
 * cost, in milliseconds; a test says so too.
 *
 * Invariants
 * 1. A client without waiting work and debt goes first: a small request waits for the work in progress alone.
 * 2. Of those who always have something, each gets the same time, whatever one piece costs. Only what costs more than a turn may exceed that, and is owed.
 * 3. Debts end when no client waits.
 */
export interface TurnLimits {
  /** What a turn is worth, and how many turns one may owe, milliseconds. */
  readonly turn: number;
  readonly mostDebt: number;
}

interface ClientQueue<T> {
  readonly items: T[];
  credit: number;
  isWaiting: boolean;
}

/**
 * Queues work by client, and picks the next piece by the milliseconds that each client has used.
 */
export class FairQueue<T> {
  readonly #turns: TurnLimits;
  /** Also of those who have nothing now and owe something. */
  readonly #lines = new Map<number, ClientQueue<T>>();
  readonly #fresh: number[] = [];
  readonly #waiting: number[] = [];
  #size = 0;

  constructor(turns: TurnLimits) {
    this.#turns = turns;
  }

  get size(): number {
    return this.#size;
  }

  push(whose: number, item: T): void {
    this.#join(whose).items.push(item);
    this.#size++;
  }

  /** Goes on with what was taken: it is the next of its owner again. */
  putBack(whose: number, item: T): void {
    this.#join(whose).items.unshift(item);
    this.#size++;
  }

  /** The next piece of work; null: no client waits. */
  take(): { readonly whose: number; readonly item: T } | null {
    for (;;) {
      const from = this.#fresh.length > 0 ? this.#fresh : this.#waiting;
      const [whose] = from;
      if (whose === undefined) return this.#rest();
      const line = this.#line(whose);
      const item = line.credit > 0 ? line.items.shift() : undefined;
      if (item !== undefined) {
        this.#size--;
        return { whose, item };
      }
      // Its turn is over.
      from.shift();
      line.isWaiting = line.items.length > 0;
      if (!line.isWaiting) continue;
      line.credit = Math.min(line.credit + this.#turns.turn, this.#turns.turn);
      this.#waiting.push(whose);
    }
  }

  /** What was done for it has cost so much. Less than nothing: it was reckoned as more before. */
  charge(whose: number, ms: number): void {
    const line = this.#line(whose);
    const { turn, mostDebt } = this.#turns;
    line.credit = Math.min(Math.max(line.credit - ms, -mostDebt), turn);
  }

  #line(whose: number): ClientQueue<T> {
    let line = this.#lines.get(whose);
    if (line === undefined) {
      line = { items: [], credit: this.#turns.turn, isWaiting: false };
      this.#lines.set(whose, line);
    }
    return line;
  }

  #join(whose: number): ClientQueue<T> {
    const line = this.#line(whose);
    if (!line.isWaiting) {
      line.isWaiting = true;
      (line.credit > 0 ? this.#fresh : this.#waiting).push(whose);
    }
    return line;
  }

  #rest(): null {
    this.#lines.clear();
    return null;
  }
}
