/** What takes back an order that took updates out of the queue: each of them is sent again. */
import type { QueueEntry } from '../../../shared/control/queue.ts';

/** The numbers of what a person has taken out. */
export function takenOut(entries: readonly QueueEntry[]): ReadonlySet<number> {
  return new Set(entries.filter(({ state }) => state === 'cancelled').map(({ number }) => number));
}

/** What is taken out now and was not before; the update itself, too. */
export function newlyOut(
  number: number,
  before: ReadonlySet<number>,
  after: ReadonlySet<number>,
): number[] {
  return [...new Set([number, ...after])].filter((each) => each === number || !before.has(each));
}
