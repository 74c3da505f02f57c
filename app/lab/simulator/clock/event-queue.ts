/**
 * What waits for its time, the first one first; what is due at one time in the order in which it came.
 *
 * A heap as shared/util/heap.ts, for this one kind of item: each event of a run goes through it, and a comparison that is
 * handed in makes a number on the heap of V8 each time.
 */
export interface Timed {
  readonly at: number;
  /** How many came before it. */
  readonly order: number;
}

/** Keeps events in the order of their time, and of their insertion at equal times. */
export class EventQueue<T extends Timed> {
  readonly #items: T[] = [];

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above] as T;
      if (!isBefore(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item in the place of the first, or as far below as it belongs. */
  #sink(item: T): void {
    const items = this.#items;
    const count = items.length;
    let at = 0;
    for (let below = 1; below < count; below = 2 * at + 1) {
      let least = items[below] as T;
      const right = items[below + 1];
      if (right !== undefined && isBefore(right, least)) {
        least = right;
        below += 1;
      }
      if (!isBefore(least, item)) break;
      items[at] = least;
      at = below;
    }
    items[at] = item;
  }
}

function isBefore(one: Timed, other: Timed): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
