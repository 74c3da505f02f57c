/** The server's memory: what was read from its disk or written through, in the order of use. */
import { LruList } from '../lru-list.ts';

export class ServerCache {
  readonly #blocks: LruList<true>;
  readonly #evicted: (block: number) => void;

  /** `size` in blocks; `evicted` is told what makes room. */
  constructor(size: number, evicted: (block: number) => void = () => undefined) {
    this.#blocks = new LruList(size);
    this.#evicted = evicted;
  }

  has(block: number): boolean {
    return this.#blocks.has(block);
  }

  use(block: number): boolean {
    return this.#blocks.use(block);
  }

  add(block: number): void {
    if (this.#blocks.use(block)) return;
    const victim = this.#blocks.isFull ? this.#blocks.evict() : undefined;
    if (!this.#blocks.isFull) this.#blocks.put(block, true);
    if (victim !== undefined) this.#evicted(victim);
  }
}
