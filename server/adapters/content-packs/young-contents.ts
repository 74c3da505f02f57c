/**
 * Contents that are put while a collection runs, or were being put when it began: it leaves them alone, whatever their age, so that no clock matters.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import { assert } from '../../../shared/util/assert.ts';

/**
 * Remembers which contents are being put while a collection runs, so that it does not remove them.
 */
export class YoungContents {
  /** How many puts of a digest are under way. */
  readonly #putting = new Map<Digest, number>();
  #young: Set<Digest> | null = null;

  async during<T>(digest: Digest, put: () => Promise<T>): Promise<T> {
    this.#putting.set(digest, (this.#putting.get(digest) ?? 0) + 1);
    this.#young?.add(digest);
    try {
      return await put();
    } finally {
      const left = (this.#putting.get(digest) ?? 1) - 1;
      if (left === 0) this.#putting.delete(digest);
      else this.#putting.set(digest, left);
    }
  }

  /** One collection at a time. */
  begin(): void {
    assert(this.#young === null, 'one collection runs at a time');
    this.#young = new Set(this.#putting.keys());
  }

  has(digest: Digest): boolean {
    return this.#young?.has(digest) ?? this.#putting.has(digest);
  }

  end(): void {
    this.#young = null;
  }
}
