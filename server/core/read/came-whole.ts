/** Which contents came whole lately: nothing is lost where they go whole to others too (brought.ts). Kept in memory alone. */
import type { Digest } from '../../../shared/model/vnode.ts';
import { MOST_BROUGHT, TOLD_FROM, WHOLE_KNOWN } from '../../limits.ts';

/** Small contents that came whole, though they might have come in part: the last of them. */
export class CameWhole {
  readonly #digests = new Set<Digest>();

  note(digest: Digest, size: number): void {
    if (size < TOLD_FROM || size > MOST_BROUGHT) return;
    this.#digests.delete(digest);
    this.#digests.add(digest);
    for (const oldest of this.#digests) {
      if (this.#digests.size <= WHOLE_KNOWN) return;
      this.#digests.delete(oldest);
    }
  }

  has(digest: Digest): boolean {
    return this.#digests.has(digest);
  }
}
