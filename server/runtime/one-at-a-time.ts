/**
 * Pieces of work between which the event loop goes on: one in each of its turns, in the order in which they were asked for. So what comes in
 * meanwhile waits for one of them, however many there are.
 */
export class OneAtATime {
  readonly #nextTurn: (then: () => void) => void;
  #waiting: Array<() => void> = [];

  /** `nextTurn`: calls back in the next turn of the event loop. */
  constructor(nextTurn: (then: () => void) => void) {
    this.#nextTurn = nextTurn;
  }

  /** `isFirst`: before what waits already. Others wait for it, so it is for what keeps them waiting. */
  goOn(then: () => void, isFirst = false): void {
    if (isFirst) this.#waiting.unshift(then);
    else this.#waiting.push(then);
    if (this.#waiting.length === 1) this.#nextTurn(() => this.#run());
  }

  #run(): void {
    // One that throws keeps nobody else.
    if (this.#waiting.length > 1) this.#nextTurn(() => this.#run());
    this.#waiting.shift()?.();
  }
}
