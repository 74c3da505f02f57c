/** Keeps the file cache within its bound, and what a person says of it: settings, and how much room the disk has. */
import type { CachePreview } from '../../../shared/control/cache.ts';
import {
  DEFAULT_CACHE,
  type CacheChange,
  type CacheSettings,
  type FreeDiskSpace,
} from '../../../shared/model/cache.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { done, refused, type Attempt } from '../waits/attempt-result.ts';
import { SETTING_KEYS } from '../setting-keys.ts';
import type { ClientState } from '../state.ts';
import { cacheLimit, reserveOf } from './cache-bound.ts';
import type { CachedContent } from './file-cache.ts';
import { pinOf } from '../log/view.ts';

const KEYS = {
  minimum: SETTING_KEYS['cache.minimum'],
  maximum: SETTING_KEYS['cache.maximum'],
  reserve: SETTING_KEYS['cache.reserve'],
  prefetch: SETTING_KEYS.prefetch,
} as const satisfies Partial<Record<keyof CacheSettings, string>>;

/** As the run before left it. */
export function loadCacheSettings(state: ClientState): void {
  state.cache.use(settingsBy(state, {}));
}

/** The settings after a change: each from the change, else from its stored value, else its default. Sizes are bytes. */
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
  const fault = wrongSettings(next, change);
  if (fault !== null) return refused('usage', fault);
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

/** Why they can't hold; null: they can. */
function wrongSettings({ minimum, maximum }: CacheSettings, change: CacheChange): string | null {
  if (minimum <= maximum) return null;
  const [least, most] = [sizeText(minimum), sizeText(maximum)];
  const reason =
    change.minimum === undefined
      ? `cache.maximum: ${most} are less than cache.minimum, which is ${least}`
      : `cache.minimum: ${least} are more than cache.maximum, which is ${most}`;
  return `${reason}; set the other one first`;
}

/** What would hold after a change: it changes nothing. Throws `usage` as `attemptCacheSettings` refuses. */
export function settingsAfter(state: ClientState, change: CacheChange): CacheSettings {
  const next = settingsBy(state, change);
  const fault = wrongSettings(next, change);
  if (fault !== null) throw new GodwitError('usage', fault);
  return next;
}

/** What would go of the cache where no front end has contents in place. */
export function previewCache(state: ClientState, settings: CacheSettings): CachePreview {
  const { files } = state.cache;
  const limit = cacheLimit(settings, state.cache.diskNow(), files.bytes);
  const goes = { files: 0, bytes: 0 };
  for (const name of files.evictable(limit, keptBy(state))) {
    goes.files += 1;
    goes.bytes += files.get(name)?.size ?? 0;
  }
  const none = { files: 0, bytes: 0 };
  return { here: { files: files.count, bytes: files.bytes }, goes, away: none };
}

/**
 * Bytes of contents that a front end may have in place, where it has `bytes` of them, on a disk with this room; null: all there is. What is
 * in the file store besides counts, too.
 */
export function contentsBound(
  { cache: { settings: inForce, files } }: ClientState,
  bytes: number,
  room: FreeDiskSpace | null,
  settings: CacheSettings = inForce,
): number | null {
  if (!settings.isBounded) return null;
  return Math.max(0, cacheLimit(settings, room, files.bytes + bytes) - files.bytes);
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

/** Takes a measurement of the disk. `parts`: bytes of contents that came in part. */
export function onDiskRoom(state: ClientState, room: FreeDiskSpace, parts = 0): void {
  state.cache.sawDisk(room, parts);
  state.cache.files.lookAgain();
  if (state.cache.settings.isBounded) wakeFrontEnds(state);
  // Writes that wait for room (calls/back-pressure.ts).
  state.waiting.signal({ kind: 'log' });
}

export function limitNow(state: ClientState): number {
  return cacheLimit(state.cache.settings, state.cache.diskNow(), state.cache.files.bytes);
}

/** Bytes that may still be taken from the disk without the reserve, where nothing else goes. */
function spareBytes(state: ClientState): number {
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

/** Bytes of the disk that nothing on its way here will take; what a folder keeps may cross the reserve. */
export function freeFor(state: ClientState): number {
  const room = state.cache.diskNow();
  if (room === null) return Infinity;
  let coming = 0;
  for (const { state: how, bytes } of state.cache.fetches.values()) {
    if (how === 'running') coming += bytes;
  }
  return room.free + state.cache.parts - coming;
}

/** Whether a folder's contents of so many bytes fit: what can be fetched again makes room, as far as it has to. */
export function fits(state: ClientState, bytes: number): boolean {
  const lacking = bytes - freeFor(state);
  if (lacking <= 0) return true;
  const plan = state.cache.files.evictableBefore(Infinity, lacking, keptBy(state));
  for (const name of plan ?? []) state.cache.files.doom(name);
  return plan !== null;
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
 * Whether a write would cross the reserve even if the cache gave up all contents that the server has too, except those of `from`, with which the
 * write begins. Queued contents become free when they are sent.
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
