/**
 * A stable priority queue for what mostly comes in its order: then it costs one comparison to push and one to pop. What comes out of its order
 * goes over a heap.
 *
 * Invariant: `#line`, from `#at` on, is in order.
 */
import { Heap } from './heap.ts';

/**
 * A priority queue that is fast if most elements are pushed in order: those lie in an array, the
 * others in a heap.
 */
export class NearlySortedQueue<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #line: T[] = [];
  readonly #others: Heap<T>;
  #at = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
    this.#others = new Heap(compare);
  }

  push(value: T): void {
    const last = this.#line.at(-1);
    // What has gone is no measure, but nothing before it can be behind it either.
    if (last === undefined || this.#compare(last, value) <= 0) this.#line.push(value);
    else this.#others.push(value);
  }

  pop(): T | undefined {
    const first = this.#line[this.#at];
    const other = this.#others.peek();
    if (first === undefined || (other !== undefined && this.#compare(other, first) < 0)) {
      return this.#others.pop();
    }
    this.#at += 1;
    return first;
  }
}
