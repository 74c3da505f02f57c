/** A stable priority queue: least first by `compare`; equals in the order they were pushed. */
export class Heap<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #items: Array<{ readonly value: T; readonly order: number }> = [];
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
    this.#items.push({ value, order: this.#pushed++ });
    this.#rise(this.#items.length - 1);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return first.value;
  }

  #before(a: number, b: number): boolean {
    const [left, right] = [this.#items[a], this.#items[b]];
    if (left === undefined || right === undefined) return false;
    const order = this.#compare(left.value, right.value);
    return order < 0 || (order === 0 && left.order < right.order);
  }

  #swap(a: number, b: number): void {
    const [left, right] = [this.#items[a], this.#items[b]];
    if (left === undefined || right === undefined) return;
    this.#items[a] = right;
    this.#items[b] = left;
  }

  #rise(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(start: number): void {
    let at = start;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (this.#before(left, least)) least = left;
      if (this.#before(right, least)) least = right;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }
}
