/**
 * Stack deletion (Smith 1977; section 4.4 of Dahlin et al.): what hits a small cache before each client is not in a
 * trace of the network. Leaving it out changes the misses of larger caches little.
 */
import { LruList } from '../lru-list.ts';
import type { Access } from './policy.ts';

export interface Seen {
  readonly access: Access;
  /** True where the small cache answers, so that no trace shows it. */
  readonly isHit: boolean;
}

/** `blocks`: how large the small caches are. A write is always shown, for it goes through. */
export function* missesOf(
  accesses: Iterable<Access>,
  clients: number,
  blocks: number,
): Generator<Seen> {
  const caches = Array.from({ length: clients }, () => new LruList<true>(blocks));
  for (const access of accesses) {
    const cache = caches[access.client] as LruList<true>;
    const isHit = cache.use(access.block) && !access.isWrite;
    if (access.isWrite) for (const other of caches) if (other !== cache) other.delete(access.block);
    if (!cache.has(access.block)) {
      if (cache.isFull) cache.evict();
      cache.put(access.block, true);
    }
    yield { access, isHit };
  }
}
