/** A stable priority queue: least first by `compare`; equals in the order they were pushed. */
interface Item<T> {
  readonly value: T;
  readonly order: number;
}

/**
 * A binary heap whose first element is the least. Elements that compare equal come out in the order
 * of `push`.
 */
export class Heap<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #items: Array<Item<T>> = [];
  #pushed = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0]?.value;
  }

  push(value: T): void {
    const items = this.#items;
    const item = { value, order: this.#pushed++ };
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !this.#before(item, parent)) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined) return undefined;
    if (items.length > 0) this.#sink(last);
    return first.value;
  }

  /** Puts an item in the place of the first, or as far below as it belongs. */
  #sink(item: Item<T>): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let least = items[below];
      if (least === undefined) break;
      const right = items[below + 1];
      if (right !== undefined && this.#before(right, least)) {
        least = right;
        below += 1;
      }
      if (!this.#before(least, item)) break;
      items[at] = least;
      at = below;
    }
    items[at] = item;
  }

  #before(left: Item<T>, right: Item<T>): boolean {
    const order = this.#compare(left.value, right.value);
    return order < 0 || (order === 0 && left.order < right.order);
  }
}
