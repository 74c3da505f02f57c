/**
 * Demand fetch: contents that a call waits for.
 *
 * Invariants
 * 1. There is one fetch in progress for a version, and later calls wait for it. Where a program wants what a folder brings in, it gets into
 *    the cache, and the folder has a copy of that.
 * 2. At most FETCHES_IN_FLIGHT run; the others wait in the order they were asked for.
 * 3. Contents whose digest is not the one announced are never shown to anybody.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import {
  EMPTY_DIGEST,
  type DataVersion,
  type Digest,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';
import type { VersionName } from '../../../shared/ports/file-system.ts';
import type { ReceivedContent } from '../../../shared/ports/transport.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import {
  DEMANDED_IN_FLIGHT,
  FETCHES_IN_FLIGHT,
  SHORT_IN_FLIGHT,
  SMALL_SAVE,
} from '../../limits.ts';
import { broughtIn, contentsKey, discard, intoCache, queued, versionKey } from './fetches.ts';
import { giveCopies, handToCaller, isDemanded, isMeantFor, letGo } from './obtain.ts';
import { expediteFetch } from './raise-fetch.ts';
import { fits, freeFor, makeRoomFor, mayPass } from './update-cache.ts';
import { statusKey } from '../sharing/validation.ts';
import { wishFor } from '../sharing/sharing-orders.ts';
import { learnShared } from '../sharing/sort-stores.ts';
import type { WantedContent } from '../effects.ts';
import type { FileOutcome, RequestId } from '../events.ts';
import { cameAhead, failedAhead, stoppedAhead } from './ahead.ts';
import { mayBeginBulk } from '../network/update-bulk-gate.ts';
import type { ContentsFetch } from './fetch-list.ts';
import type { ClientState } from '../state.ts';
import { foundGone, learnGranted } from '../log/learn.ts';
import type { FetchKey } from '../waits/wait-key.ts';

/** Codes that will pass: the fetch stays and is tried again. (A commit that has no room takes the answers that waited for it along.) */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'try-again',
  'server-full',
  'server-closing',
  'internal',
]);

/**
 * Sees to it that the present contents of a file get into the cache, and gives the fact to wait for. `known`: what they are, so that a
 * local copy will do, or a fetch that is under way.
 */
export function needContents(
  state: ClientState,
  fid: Fid,
  known: VnodeStatus,
  priorityClass: ContentsFetch['priorityClass'] = 'FETCH',
): FetchKey {
  const joined = joinFetch(state, known, priorityClass);
  if (joined !== null) return joined;
  const key = contentsKey(fid);
  const fetching = queued(state, key, fid, null, 'cache');
  fetching.priorityClass = priorityClass;
  if (!state.config.localCopies || known.digest === null) return key;
  fetching.state = 'running';
  const name = state.cache.files.newName();
  const wanted = { fid, version: known.version, digest: known.digest };
  const purpose = { for: 'local-copy', key, name, ...wanted } as const;
  state.runTask({ what: 'local-copy', ...wanted, size: known.size, name }, purpose);
  return key;
}

/** A fetch of these contents that is under way, or is about to be: it is waited for, in this class at least. null: there is none. */
export function joinFetch(
  state: ClientState,
  wanted: Pick<VnodeStatus, 'fid' | 'version' | 'digest'>,
  priorityClass: ContentsFetch['priorityClass'] = 'FETCH',
): FetchKey | null {
  const fetching = intoCache(state, wanted) ?? broughtIn(state, wanted);
  if (fetching === undefined) return null;
  if (priorityClass === 'FETCH') expediteFetch(state, fetching);
  return fetching.key;
}

/** Begins a prefetch of one version. */
export function fetchAhead(state: ClientState, wanted: VersionName): void {
  const { fid, version, digest } = wanted;
  const key = versionKey(wanted);
  const fetching = queued(state, key, fid, version, 'cache', digest);
  fetching.ahead = true;
  fetching.priorityClass = 'PREFETCH';
  state.prefetch.fetching = key;
}

/**
 * Sees to it that one version gets into the cache, and gives the fact to wait for. Where it is the present one, as far as is known, that may be a fetch of the
 * present contents: if those turn out to be others, the call looks anew.
 */
export function needVersion(state: ClientState, wanted: VersionName): FetchKey {
  const known = state.names.attributes.get(wanted.fid);
  const isPresent = known?.version === wanted.version && known.digest === wanted.digest;
  const joined = isPresent ? joinFetch(state, wanted) : null;
  if (joined !== null) return joined;
  const key = versionKey(wanted);
  if (!state.cache.fetches.has(key)) {
    queued(state, key, wanted.fid, wanted.version, 'cache', wanted.digest);
  }
  return key;
}

/** Fetches contents that are newer than the cached ones, as another device may have some hidden. */
export function needNewer(state: ClientState, fid: Fid, cached: DataVersion | null): void {
  const key = contentsKey(fid);
  if (!state.cache.fetches.has(key)) queued(state, key, fid, null, 'cache', null, cached);
}

/**
 * Starts what may start: what a program waits for before what a folder brings in, and beside a full window of that. Of the latter what is short, which
 * has places of its own too.
 */
export function sendPendingFetches(state: ClientState): void {
  if (!state.session.isUp || state.cache.fetches.size === 0) return;
  beginPending(state, 'cache', FETCHES_IN_FLIGHT + DEMANDED_IN_FLIGHT);
  beginPending(state, 'caller', FETCHES_IN_FLIGHT, 'FETCH');
  beginPending(state, 'caller', FETCHES_IN_FLIGHT - SHORT_IN_FLIGHT);
}

/** What is long and comes to a folder is bulk on its way here as it was on its way to the server: behind all that somebody waits for. */
function classOfBrought(
  state: ClientState,
  { fid }: ContentsFetch,
): ContentsFetch['priorityClass'] {
  const size = state.names.attributes.get(fid)?.size ?? null;
  return size !== null && size > SMALL_SAVE ? 'STORE_DATA' : 'FETCH';
}

function beginPending(
  state: ClientState,
  into: ContentsFetch['into'],
  most: number,
  only: ContentsFetch['priorityClass'] | null = null,
): void {
  for (const fetching of state.cache.fetches.values()) {
    if (state.cache.fetches.running >= most) return;
    if (fetching.into !== into) continue;
    if (fetching.state === 'queued' && into === 'caller') {
      fetching.priorityClass = classOfBrought(state, fetching);
    }
    if (only !== null && fetching.priorityClass !== only) continue;
    if (fetching.state !== 'queued' || state.delays.isHeld(fetching.key, state.now.at)) continue;
    if (fetching.into === 'caller' && state.session.isPaused) continue;
    if (!fetching.ahead && !state.waiting.isAwaited(fetching.key)) {
      state.cache.fetches.drop(fetching.key);
      continue;
    }
    const size = state.names.attributes.get(fetching.fid)?.size ?? null;
    if (fetching.into === 'caller' && !mayBeginBulk(state, size)) continue;
    if (fetching.into === 'caller' && isOnItsWay(state, fetching)) continue;
    if (into === 'cache' && !fetching.ahead && !hasRoom(state, fetching, size ?? 0)) {
      fail(state, fetching, 'disk-full', noRoom(fetching, size));
      continue;
    }
    if (into === 'caller' && size !== null && size > SMALL_SAVE && !fits(state, size)) {
      fail(state, fetching, 'disk-full', tooLarge(state, size));
      continue;
    }
    state.cache.fetches.begin(fetching);
    const { unless } = fetching;
    const known = unless === null ? {} : { unless };
    const wish = fetching.version === null ? wishFor(state, fetching.fid) : {};
    const body = { fid: fetching.fid, version: fetching.version, ...known, ...wish };
    const purpose = { for: 'contents', key: fetching.key } as const;
    const wanted = wantedOf(state, fetching);
    fetching.bytes = wanted.size ?? 0;
    const { priorityClass } = fetching;
    fetching.request = state.send({ rpc: 'Fetch', body }, priorityClass, purpose, { wanted });
  }
}

/** A program waits for it, or for another version: then this one may be had from there, or be wanted no more. */
function isOnItsWay(state: ClientState, { fid, version, digest }: ContentsFetch): boolean {
  const other = version === null ? undefined : intoCache(state, { fid, version, digest });
  if (other?.ahead === true) expediteFetch(state, other);
  return other !== undefined;
}

/** What a reader waits for may take of the reserve. */
function hasRoom(state: ClientState, { priorityClass }: ContentsFetch, bytes: number): boolean {
  return makeRoomFor(state, bytes) || (priorityClass === 'FETCH' && mayPass(state, bytes));
}

/** What could not be kept is not fetched: it would cross the line at each try, and fill the disk of all others. Of what is small that costs little. */
function tooLarge(state: ClientState, size: number): string {
  const free = sizeText(Math.max(0, freeFor(state)));
  return `its ${sizeText(size)} do not fit on the disk, which has ${free} for it`;
}

function noRoom({ priorityClass }: ContentsFetch, size: number | null): string {
  const what = size === null ? 'its contents' : `its ${size} bytes`;
  if (priorityClass === 'FETCH') return `the disk has no room for ${what}`;
  return `${what} would take what cache.reserve leaves free of the disk`;
}

/** What may spare some of the bytes: how long the file is about, and a version of it that is here. */
function wantedOf(state: ClientState, { fid, version }: ContentsFetch): WantedContent {
  const status = state.names.attributes.get(fid);
  const logged = state.log.index.onVnode(fid).map(({ seq }) => state.log.get(seq));
  const ours = logged.map((entry) => (entry?.state === 'answered' ? null : entry?.content));
  const held = state.cache.files.newestOf(fid, (content) => {
    return content.version !== version && !ours.includes(content.name);
  });
  return { fid, size: status?.size ?? held?.size ?? null, held };
}

/**
 * Takes the answer to a Fetch: contents whose digest is right go into the cache, or to the caller
 * that asked. Other contents are discarded, and the fetch fails with `no-contents`,
 * `damaged-contents` or `version-gone`. `content` null: the file is empty, or the version is the
 * one that the request excluded.
 */
export function onContents(
  state: ClientState,
  request: RequestId,
  key: FetchKey,
  reply: ReplyOf<'Fetch'>,
  content: ReceivedContent | null,
): void {
  state.cache.fetches.ended();
  state.changed = true;
  const fetching = state.cache.fetches.get(key);
  if (fetching === undefined) return discard(state, content);
  state.delays.succeeded(key);
  const { status } = reply;
  learnShared(state, fetching.fid, reply.shared);
  if (fetching.version === null) {
    learnGranted(state, status, reply.grant, request, reply.unshared);
    state.sharing.behind.told(fetching.fid, reply.behind, request, true);
    state.sharing.promises.contentsCame(fetching.fid, request);
    state.waiting.signal(statusKey(fetching.fid));
  }
  if (fetching.unless !== null && fetching.unless === status.version) {
    discard(state, content);
    state.cache.fetches.drop(key);
    return state.waiting.signal(key);
  }
  const digest = (content?.digest ?? EMPTY_DIGEST) as Digest;
  if (status.digest === null || status.digest !== digest) {
    discard(state, content);
    state.out.log('error', 'fetched contents do not match their digest', { fid: fetching.fid });
    const [code, message] =
      status.digest === null
        ? (['no-contents', 'the contents have not reached the server yet'] as const)
        : (['damaged-contents', 'the contents do not match their digest'] as const);
    return fail(state, fetching, code, message);
  }
  if (fetching.digest !== null && fetching.digest !== digest) {
    discard(state, content);
    return fail(state, fetching, 'version-gone', 'that version has other contents now');
  }
  state.cache.recent.note(fetching.fid, 'received', state.now.wall);
  const isForCache =
    fetching.into === 'cache' || isEarly(state, fetching) || isDemanded(state, fetching);
  const cached = isForCache ? state.cache.files.find(status) : null;
  if (cached !== null) {
    // The newest that there is was here already.
    discard(state, content);
    giveCopies(state, cached);
    state.cache.fetches.drop(key);
    state.waiting.signal(key);
  } else if (isForCache) putIntoCache(state, fetching, status, digest, content);
  else handToCaller(state, fetching, content);
}

/** Its folder has not asked yet, as it will in a moment: it finds them in the cache, where there is room. */
function isEarly(state: ClientState, { key, isBrought, bytes }: ContentsFetch): boolean {
  return isBrought && !state.waiting.isAwaited(key) && makeRoomFor(state, bytes);
}

function putIntoCache(
  state: ClientState,
  fetching: ContentsFetch,
  status: VnodeStatus,
  digest: Digest,
  content: ReceivedContent | null,
): void {
  const name = state.cache.files.newName();
  const about = { fid: fetching.fid, version: status.version, digest };
  const purpose = { for: 'fetched', key: fetching.key, name, ...about } as const;
  state.runTask({ what: 'adopt', received: content, name }, purpose);
}

/** Fetched contents are in the store, or could not be put there. */
export function onAdopted(
  state: ClientState,
  purpose: { key: FetchKey; name: string; fid: Fid; version: DataVersion; digest: Digest },
  outcome: FileOutcome,
): void {
  const fetching = state.cache.fetches.get(purpose.key);
  if (!outcome.ok) {
    if (fetching !== undefined) fail(state, fetching, outcome.code, outcome.message);
    return;
  }
  const { name, fid, version, digest } = purpose;
  const cached = { name, fid, version, digest, size: outcome.length };
  state.cache.files.add(cached);
  giveCopies(state, cached);
  const present = state.names.attributes.get(fid);
  if (present?.version === version && present.digest === digest)
    state.cache.files.keepOnly(fid, present);
  state.cache.fetches.drop(purpose.key);
  state.waiting.signal(purpose.key);
  state.cache.files.fetched(name);
  if (fetching?.ahead === true) cameAhead(state, fid, name, outcome.length);
  else state.prefetch.demandAt = state.now.at;
}

/** A local copy was taken in, or there is none: then it is fetched. */
export function onLocalCopy(
  state: ClientState,
  purpose: { key: FetchKey; name: string; fid: Fid; version: DataVersion; digest: Digest },
  outcome: FileOutcome,
): void {
  const fetching = state.cache.fetches.get(purpose.key);
  if (outcome.ok && outcome.path !== null) return onAdopted(state, purpose, outcome);
  if (fetching !== undefined) fetching.state = 'queued';
}

/** A fetch was refused (`code`), or its connection ended (null): then it begins anew when there is one. */
export function onContentsFailed(
  state: ClientState,
  request: RequestId,
  key: FetchKey,
  code: ErrorCode | null,
  detail: string,
  jitter: number,
): void {
  state.cache.fetches.ended();
  state.changed = true;
  const fetching = state.cache.fetches.get(key);
  if (fetching === undefined) return;
  fetching.bytes = 0;
  fetching.request = null;
  if (fetching.ahead) return giveUpAhead(state, fetching, code);
  if (code === null || PASSING.has(code) || isForTheFeed(fetching, code)) {
    fetching.state = 'queued';
    if (code !== null) state.delays.failed(key, state.now.at, jitter);
    return letGo(state, fetching);
  }
  if (code === 'no-such-vnode' && fetching.version === null)
    foundGone(state, fetching.fid, request);
  const told: ErrorCode =
    code !== 'no-such-vnode' ? code : fetching.version === null ? 'not-found' : 'version-gone';
  fail(state, fetching, told, detail === '' ? 'the file can not be fetched' : detail);
}

/** As the feed itself, what it needs waits for the right to look to come back. */
function isForTheFeed({ into }: ContentsFetch, code: ErrorCode): boolean {
  return into === 'caller' && (code === 'no-such-volume' || code === 'no-right');
}

/** A failed prefetch is not tried again: its group is looked at when it is touched. A call that has begun to wait fetches the file itself. */
function giveUpAhead(state: ClientState, fetching: ContentsFetch, code: ErrorCode | null): void {
  state.cache.fetches.drop(fetching.key);
  state.waiting.signal(fetching.key);
  if (code === null) stoppedAhead(state, fetching.fid);
  else failedAhead(state, fetching.fid, fetching.version);
}

function fail(state: ClientState, fetching: ContentsFetch, code: ErrorCode, message: string): void {
  if (fetching.ahead) return giveUpAhead(state, fetching, code);
  state.cache.fetches.drop(fetching.key);
  // A call that waits for a prefetch wants the present version, and its next attempt fetches that.
  if (fetching.raises > 0) return state.waiting.signal(fetching.key);
  letGo(state, fetching);
  for (const { call, what } of state.waiting.waitingOn(fetching.key)) {
    if (isMeantFor(fetching, what)) state.refuse(call, code, message);
  }
}
