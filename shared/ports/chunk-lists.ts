/**
 * The ChunkLists port: the chunk lists (ports/delta.ts) of contents that others have too, by the digest of the contents. With one of
 * them a later version is sent as a delta, when the bytes it was made of are no longer here.
 *
 * Contract
 * 1. What was `put` may be found by `get`, in this life or a later one. It may also be gone: callers go on without.
 * 2. There is a bound on the bytes of all lists; those that were put or found longest ago go first. A list over the bound is not kept.
 * 3. Lists are not judged here: whether one is right is seen when what was made with it is put together.
 * Calls may run side by side. Errors: GodwitError `disk-full`, `disk-failing`; then nothing was changed.
 */
import type { Digest } from '../model/vnode.ts';

export interface ChunkLists {
  get(digest: Digest): Promise<Uint8Array | null>;
  /** Takes the place of the list that was there. */
  put(digest: Digest, list: Uint8Array): Promise<void>;
  /** It is damaged or absent. */
  forget(digest: Digest): Promise<void>;
  close(): Promise<void>;
}
