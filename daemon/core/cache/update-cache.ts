/** Keeps the file cache within its bound, and what a person says of it: settings, and how much room the disk has. */
import {
  DEFAULT_CACHE,
  type CacheChange,
  type CacheSettings,
  type FreeDiskSpace,
} from '../../../shared/model/cache.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { done, refused, type Attempt } from '../waits/attempt-result.ts';
import type { ClientState } from '../state.ts';
import { cacheLimit, reserveOf } from './cache-bound.ts';
import type { CachedContent } from './file-cache.ts';
import { pinOf } from '../log/view.ts';

const KEYS = {
  minimum: 'cache-minimum',
  maximum: 'cache-maximum',
  reserve: 'cache-reserve',
  prefetch: 'prefetch',
} as const satisfies Partial<Record<keyof CacheSettings, string>>;

/** As the run before left it. */
export function loadCacheSettings(state: ClientState): void {
  state.cache.use(settingsBy(state, {}));
}

/** What was said of each, or is said now, and otherwise as usual. */
function settingsBy(state: ClientState, change: CacheChange): CacheSettings {
  const said = (name: 'minimum' | 'maximum' | 'reserve'): number | null => {
    const value = change[name] === undefined ? state.meta.get(KEYS[name]) : change[name];
    return typeof value === 'number' ? value : null;
  };
  const maximum = said('maximum') ?? state.config.cacheBytes;
  return {
    maximum,
    minimum: said('minimum') ?? Math.min(DEFAULT_CACHE.minimum, maximum),
    reserve: said('reserve') ?? DEFAULT_CACHE.reserve,
    prefetch: change.prefetch ?? state.meta.get(KEYS.prefetch) !== false,
    isBounded: said('maximum') !== null,
  };
}

/**
 * Changes the settings of the cache durably, and answers with the new ones. Sizes are bytes.
 * Refuses with `usage` a minimum that is above the maximum.
 */
export function attemptCacheSettings(state: ClientState, change: CacheChange): Attempt {
  const next = settingsBy(state, change);
  if (next.minimum > next.maximum) {
    const sizes = `${next.minimum} bytes are more than the ${next.maximum} of cache.maximum`;
    return refused('usage', `cache.minimum: ${sizes}; set the other one first`);
  }
  for (const name of ['minimum', 'maximum', 'reserve', 'prefetch'] as const) {
    const value = change[name];
    if (value !== undefined) state.meta.set(KEYS[name], value);
  }
  state.cache.use(next);
  wakeFrontEnds(state);
  state.prefetch.look = true;
  state.cache.files.lookAgain();
  state.changed = true;
  return done(next);
}

/**
 * Bytes of contents that a front end may have in place, where it has `bytes` of them, on a disk with this room; null: all there is. What is
 * in the file store besides counts, too.
 */
export function contentsBound(
  { cache: { settings: cacheSettings, files } }: ClientState,
  bytes: number,
  room: FreeDiskSpace | null,
): number | null {
  if (!cacheSettings.isBounded) return null;
  return Math.max(0, cacheLimit(cacheSettings, room, files.bytes + bytes) - files.bytes);
}

/** A front end has contents in place, or shows a file without them. */
export function onKeeps(state: ClientState, fid: Fid, isHere: boolean): void {
  state.cache.keeps(fid, isHere);
  state.changed = true;
}

/** Other contents are to be in place. */
export function wakeFrontEnds(state: ClientState): void {
  if (state.config.frontEnd !== 'folder') return;
  for (const volume of state.names.volumes.keys()) state.out.wake(volume);
}

/** Takes a measurement of the disk. */
export function onDiskRoom(state: ClientState, room: FreeDiskSpace): void {
  state.cache.sawDisk(room);
  state.cache.files.lookAgain();
  if (state.cache.settings.isBounded) wakeFrontEnds(state);
  // Writes that wait for room (calls/back-pressure.ts).
  state.waiting.signal({ kind: 'log' });
}

export function limitNow(state: ClientState): number {
  return cacheLimit(state.cache.settings, state.cache.diskNow(), state.cache.files.bytes);
}

/** Bytes that may still be taken from the disk without the reserve, where nothing else goes. */
export function spareBytes(state: ClientState): number {
  const room = state.cache.diskNow();
  return room === null ? Infinity : room.free - reserveOf(state.cache.settings, room);
}

/**
 * Whether contents of so many bytes may be fetched, beside what is being fetched: where the reserve would be crossed, what was used
 * longest ago goes first; nothing, where all that may go is not enough. What is here of `wanted` stays.
 */
export function makeRoomFor(state: ClientState, bytes: number, wanted: Fid | null = null): boolean {
  if (state.cache.diskNow() === null) return true;
  const coming = comingInto(state, bytes);
  const lacking = coming - spareBytes(state);
  if (lacking <= 0) return true;
  state.cache.files.spareNothing();
  const keeps = keptBy(state);
  const isKept = (each: CachedContent): boolean => each.fid === wanted || keeps(each);
  const plan = state.cache.files.evictableBefore(Infinity, lacking, isKept);
  for (const name of plan ?? []) state.cache.files.doom(name);
  return plan !== null;
}

/** With what is being fetched. */
export function comingInto({ cache: { fetches } }: ClientState, bytes: number): number {
  let coming = bytes;
  for (const { into, state: how, bytes: size } of fetches.values()) {
    if (how === 'running' && into === 'cache') coming += size;
  }
  return coming;
}

/** Somebody waits to read it: it may cross the reserve, as long as the disk has room, and is not kept. */
export function mayPass(state: ClientState, bytes: number): boolean {
  const room = state.cache.diskNow();
  return room === null || comingInto(state, bytes) <= room.free;
}

/** The same for what nobody waits for: only what was used before that use goes, and nothing that `isOwn`. */
export function makeRoomAhead(
  state: ClientState,
  bytes: number,
  use: number,
  isOwn: (fid: Fid) => boolean,
): boolean {
  const {
    cache: { files },
  } = state;
  const lacking = Math.max(files.bytes + bytes - limitNow(state), bytes - spareBytes(state));
  if (lacking <= 0) return true;
  const keeps = keptBy(state);
  const plan = files.evictableBefore(use, lacking, (each) => isOwn(each.fid) || keeps(each));
  for (const name of plan ?? []) files.doom(name);
  return plan !== null;
}

/**
 * A write would cross the reserve, whatever goes that can be had again; but what it begins with, of `from`, does not go for it. What is
 * queued comes free when it is sent.
 */
export function isShortOfRoom(state: ClientState, from: Fid | null): boolean {
  return spareBytes(state) <= 0 && !makeRoomFor(state, 1, from);
}

const keptBy =
  (state: ClientState) =>
  ({ fid }: CachedContent): boolean =>
    pinOf(state, fid) !== null;

/** At the end of each step. */
export function updateCache(state: ClientState): void {
  // What was let through for a reader is not kept at the cost of the reserve.
  if (spareBytes(state) < 0) state.cache.files.spareWhatWasRead();
  state.cache.files.keepTo(limitNow(state), keptBy(state));
}

/** The disk is full: what can be fetched again goes, but for what is pinned. */
export function makeRoom(state: ClientState): void {
  state.cache.files.makeRoom(keptBy(state));
}
