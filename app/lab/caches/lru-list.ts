/**
 * A cache in the order of its use, of a bounded number of entries. A JavaScript Map keeps the order of insertion: what
 * is used is taken out and put in again, so the first key is the one that was used longest ago.
 */
export class LruList<V> {
  readonly capacity: number;
  readonly #entries = new Map<number, V>();

  /** `capacity` in entries; none may be held with 0. */
  constructor(capacity: number) {
    this.capacity = Math.max(0, Math.floor(capacity));
  }

  get size(): number {
    return this.#entries.size;
  }

  get isFull(): boolean {
    return this.#entries.size >= this.capacity;
  }

  has(key: number): boolean {
    return this.#entries.has(key);
  }

  peek(key: number): V | undefined {
    return this.#entries.get(key);
  }

  /** Puts it in as the one that was used last; there must be room where it is new. */
  put(key: number, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }

  /** Changes what is kept, and not the order. */
  set(key: number, value: V): void {
    if (this.#entries.has(key)) this.#entries.set(key, value);
  }

  /** True if it is here; then it is the one that was used last. */
  use(key: number): boolean {
    const value = this.#entries.get(key);
    if (value === undefined) return false;
    this.put(key, value);
    return true;
  }

  delete(key: number): boolean {
    return this.#entries.delete(key);
  }

  /** The one that was used longest ago. */
  oldest(): number | undefined {
    return this.#entries.keys().next().value;
  }

  /** Takes out the one that was used longest ago. */
  evict(): number | undefined {
    const key = this.oldest();
    if (key !== undefined) this.#entries.delete(key);
    return key;
  }

  /** From the one that was used longest ago to the last. */
  entries(): IterableIterator<[number, V]> {
    return this.#entries.entries();
  }
}
