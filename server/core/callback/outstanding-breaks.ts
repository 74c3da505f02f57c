/** The breaks of a volume that are not acknowledged, by subject: a later writer of the same waits for them too (rule P3). */
import type { BreakMessage } from './break-board.ts';
import type { SubjectKey } from './promise-table.ts';

/** Indexes the unacknowledged breaks of a volume by their subjects. */
export class OutstandingBreaks {
  readonly #messages = new Map<SubjectKey, Set<BreakMessage>>();

  /** How many subjects have any. */
  get size(): number {
    return this.#messages.size;
  }

  has(key: SubjectKey): boolean {
    return this.#messages.has(key);
  }

  /** In the order in which they were added. */
  of(key: SubjectKey): Iterable<BreakMessage> {
    return this.#messages.get(key) ?? [];
  }

  add(key: SubjectKey, message: BreakMessage): void {
    const outstanding = this.#messages.get(key);
    if (outstanding === undefined) this.#messages.set(key, new Set([message]));
    else outstanding.add(message);
  }

  /** Nothing happens where it is not there. */
  remove(key: SubjectKey, message: BreakMessage): void {
    const outstanding = this.#messages.get(key);
    if (outstanding?.delete(message) === true && outstanding.size === 0) this.#messages.delete(key);
  }
}
