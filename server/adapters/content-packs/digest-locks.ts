/** Lets one at a time work on the files of a digest; others wait, first in, first out. Different digests go side by side. */
import type { Digest } from '../../../shared/model/vnode.ts';

/**
 * A mutex for each digest: work on one digest runs in the order of asking, different digests in
 * parallel.
 */
export class DigestLocks {
  readonly #last = new Map<Digest, Promise<void>>();

  async hold<T>(digest: Digest, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(digest);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(digest, promise);
    await before;
    try {
      return await work();
    } finally {
      resolve();
      if (this.#last.get(digest) === promise) this.#last.delete(digest);
    }
  }
}
