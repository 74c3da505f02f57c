/**
 * How large the file cache may be: it follows the free disk (Sprite's cache that trades room with others, section 5 of "Caching in the Sprite Network
 * File System", with the disk in the place of memory).
 *
 * Invariants
 * 1. The cache and what others leave free are one purse, of which the cache takes half at most, between the minimum and the maximum. So it grows
 *    while the disk is idle, and gives way as others fill it.
 * 2. The reserve is stronger than the minimum: contents that the server has too never take a byte of it.
 */
import type { CacheSettings, FreeDiskSpace } from '../../../shared/model/cache.ts';
import { CACHE_SHARE, RESERVE_MOST, RESERVE_SHARE } from '../../limits.ts';

/** Bytes of the disk that are left free. */
export function reserveOf({ reserve }: CacheSettings, { total }: FreeDiskSpace): number {
  return reserve ?? Math.min(RESERVE_MOST, Math.floor(total * RESERVE_SHARE));
}

/** `bytes`: what the cache has; `room` as it is with that, null: nobody has looked. */
export function cacheLimit(
  settings: CacheSettings,
  room: FreeDiskSpace | null,
  bytes: number,
): number {
  const { minimum, maximum } = settings;
  if (room === null) return maximum;
  const purse = bytes + room.free;
  const fair = Math.max(minimum, Math.floor(purse * CACHE_SHARE));
  return Math.max(0, Math.min(maximum, fair, purse - reserveOf(settings, room)));
}
