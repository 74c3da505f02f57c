/**
 * Answers wait for the breaks that were sent before them (rules P2, P3).
 *
 * The server breaks promises, commits, and then answers requests for what it has committed. Each of these messages is a stream of its own, so an
 * answer may be here before the break: then we would know a commit, and use a promise for what it (or one before it) changed. Where Hello asked for
 * it, breaks are numbered and each answer names the last one sent before it.
 *
 * Invariants
 * 1. No answer is taken before every break up to the one it names.
 * 2. Answers that wait are taken in the order in which they came.
 * 3. Breaks are taken, and acknowledged, when they come: nothing else is waited for. One that never comes ends with its connection, and the answers
 *    that wait for it with both.
 */
export class AnswerOrder<T> {
  /** All breaks up to here are there. */
  #upTo = 0;
  /** Those beyond that came before the ones before them. */
  readonly #beyond = new Set<number>();
  #waiting: Array<{ readonly afterBreak: number; readonly answer: T }> = [];

  /** True: it waits. */
  mustWait(afterBreak: number, answer: T): boolean {
    if (afterBreak <= this.#upTo) return false;
    this.#waiting.push({ afterBreak, answer });
    return true;
  }

  /** A break has been taken. Gives the answers that waited for it. */
  taken(number: number): T[] {
    this.#beyond.add(number);
    while (this.#beyond.delete(this.#upTo + 1)) this.#upTo += 1;
    const ready = this.#waiting.filter(({ afterBreak }) => afterBreak <= this.#upTo);
    this.#waiting = this.#waiting.filter(({ afterBreak }) => afterBreak > this.#upTo);
    return ready.map(({ answer }) => answer);
  }

  /** The connection is gone. Gives the answers that will never be taken. */
  reset(): T[] {
    this.#upTo = 0;
    this.#beyond.clear();
    return this.#waiting.splice(0).map(({ answer }) => answer);
  }
}
