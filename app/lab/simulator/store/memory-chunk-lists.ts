/** The ChunkLists port in memory. It outlives the processes that use it. */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { ChunkLists } from '../../../../shared/ports/chunk-lists.ts';

export interface MemoryChunkListsOptions {
  readonly mostBytes: number;
  /** Runs what it is given, now or later; at once where it is left out. */
  readonly delay?: (run: () => void) => void;
}

/** Implements the ChunkLists port in memory, up to a number of bytes. */
export class MemoryChunkLists implements ChunkLists {
  readonly #mostBytes: number;
  readonly #delay: (run: () => void) => void;
  /** The one that was used longest ago first. */
  readonly #lists = new Map<Digest, Uint8Array>();
  #bytes = 0;

  constructor({ mostBytes, delay }: MemoryChunkListsOptions) {
    this.#mostBytes = mostBytes;
    this.#delay = delay ?? ((run) => run());
  }

  get(digest: Digest): Promise<Uint8Array | null> {
    return this.#answer(() => {
      const list = this.#lists.get(digest);
      if (list === undefined) return null;
      this.#lists.delete(digest);
      this.#lists.set(digest, list);
      return list;
    });
  }

  put(digest: Digest, list: Uint8Array): Promise<void> {
    return this.#answer(() => {
      if (list.length > this.#mostBytes) return;
      this.#drop(digest);
      this.#lists.set(digest, list);
      this.#bytes += list.length;
      for (const oldest of [...this.#lists.keys()]) {
        if (this.#bytes <= this.#mostBytes) return;
        this.#drop(oldest);
      }
    });
  }

  forget(digest: Digest): Promise<void> {
    return this.#answer(() => this.#drop(digest));
  }

  close(): Promise<void> {
    return this.#answer(() => undefined);
  }

  /** Somebody puts other lists in place, each made from the one that is there. */
  replace(change: (list: Uint8Array) => Uint8Array): void {
    for (const [digest, list] of this.#lists) this.#lists.set(digest, change(list));
  }

  get count(): number {
    return this.#lists.size;
  }

  #drop(digest: Digest): void {
    this.#bytes -= this.#lists.get(digest)?.length ?? 0;
    this.#lists.delete(digest);
  }

  #answer<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => this.#delay(() => resolve(work())));
  }
}
