/**
 * The entry of a cache that was used longest ago among those of a kind, where entries come to the kind and leave it
 * without being used. Each entry counts once in the heap; what was used meanwhile is put where it belongs when it
 * comes up.
 */
import { Heap } from '../../../../shared/util/heap.ts';

interface Filed {
  readonly block: number;
  readonly at: number;
}

export class Oldest {
  readonly #heap = new Heap<Filed>((a, b) => a.at - b.at);
  /** Where in the heap the item of a block is that counts. */
  readonly #filed = new Map<number, number>();
  readonly #usedAt: (block: number) => number | undefined;

  /** `usedAt` says when a block was used last, or undefined if it is not of the kind (any more). */
  constructor(usedAt: (block: number) => number | undefined) {
    this.#usedAt = usedAt;
  }

  /** It is of the kind now. */
  add(block: number, usedAt: number): void {
    const filed = this.#filed.get(block);
    if (filed === undefined || usedAt < filed) this.#file(block, usedAt);
  }

  /** Leaves it where it is. */
  peek(): Filed | undefined {
    for (let top = this.#heap.peek(); top !== undefined; top = this.#heap.peek()) {
      const counts = this.#filed.get(top.block) === top.at;
      const at = counts ? this.#usedAt(top.block) : undefined;
      if (at === top.at) return top;
      this.#heap.pop();
      if (!counts) continue;
      this.#filed.delete(top.block);
      if (at !== undefined) this.#file(top.block, at);
    }
    return undefined;
  }

  #file(block: number, at: number): void {
    this.#filed.set(block, at);
    this.#heap.push({ block, at });
  }
}
