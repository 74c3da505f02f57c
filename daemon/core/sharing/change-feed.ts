/**
 * The change feed of a volume (rule P4): for a front end that follows it, and for catching up after a lost lease.
 *
 * Invariants
 * 1. The front end's questions go to the server as they are, from its own position; nothing is buffered for it.
 * 2. While a volume promise is held and the front end has all that is known of, nothing is asked: the break wakes it.
 * 3. Rows change the cache only if they follow its position (`caughtUp`); otherwise the cache catches up by itself.
 * 4. The promise that came with rows the cache has not taken counts for the cache when it has caught up.
 * 5. A row at or below the commit of what is cached is in it already, and is skipped.
 */
import { dataVersion, type CommitNumber } from '../../../shared/model/vnode.ts';
import type { ChangeSet } from '../../../shared/model/change.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { after } from '../../../shared/model/time.ts';
import { MAX_PAGE_COMMITS } from '../../../shared/wire/limits.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { type ReplyOf, BRINGS_FROM } from '../../../shared/wire/rpcs.ts';
import { FEED_PAUSE, SMALL_SAVE } from '../../limits.ts';
import { waitFor, type Attempt } from '../waits/attempt-result.ts';
import type { FeedCall } from '../events.ts';
import { noteConflicts } from '../conflict/told-by-feed.ts';
import { isOffering } from '../log/offering.ts';
import { installDirectory } from '../names/install-directory.ts';
import type { ClientState } from '../state.ts';
import { onQuotaTold } from '../quota/room.ts';
import { onNewestTold } from '../names/known-devices.ts';
import { noteBack, noteRemovals } from './others-removals.ts';
import { settle } from '../log/settle.ts';
import { forgetVnode, learnStatus } from '../log/learn.ts';
import { bulkDecision } from '../network/update-bulk-gate.ts';
import type { VolumeState } from '../names/volumes.ts';
import { feedKey, noteHead } from '../names/heads.ts';

/** The front end asks for what comes after its position. */
export function attemptChanges(
  state: ClientState,
  call: number,
  volume: VolumeId,
  since: CommitNumber,
): Attempt {
  const known = state.names.volumes.get(volume);
  const key = feedKey(volume);
  if (known === undefined || !state.session.isUp) return waitFor({ kind: 'volumes' }, key);
  if (isAsking(state, call)) return waitFor(key);
  if (isOffering(state, volume)) return waitFor({ kind: 'log' }, key);
  if (state.sharing.promises.holdsVolume(volume) && known.head <= since) return waitFor(key);
  if (state.delays.isHeld(key, state.now.at)) return waitFor(key);
  const body = {
    ...{ volume, since, limit: MAX_PAGE_COMMITS, wait: true, promise: true },
    ...bringsTo(state),
  };
  state.send({ rpc: 'Changes', body }, 'FETCH', { for: 'follow', volume, call, since });
  return waitFor(key);
}

function isAsking(state: ClientState, call: number): boolean {
  for (const { purpose } of state.requests.values()) {
    if ('call' in purpose && purpose.call === call) return true;
  }
  return false;
}

/**
 * Takes the answer to a front end's question about the feed: patches the cache and answers the
 * call. Without new commits the call goes on waiting; without a promise, it asks again after
 * FEED_PAUSE.
 */
export function onFollowed(
  state: ClientState,
  purpose: { volume: VolumeId; call: number; since: CommitNumber },
  reply: ReplyOf<'Changes'>,
): void {
  const { volume, call, since } = purpose;
  const known = state.names.volumes.get(volume);
  if (known === undefined) return;
  patch(state, known, since, reply);
  noteHead(state, volume, reply.head);
  onNewestTold(state, reply.newestDevice);
  onQuotaTold(state, volume, reply.quota);
  state.locks.told(volume, reply.locks ?? 0);
  state.sharing.promises.grantedVolume(volume, reply.grant, reply.upTo, reply.unshared);
  state.sharing.promises.caughtUp(volume, known.row.caughtUp);
  state.delays.succeeded(feedKey(volume));
  if (state.waiting.get(call) === undefined) return;
  if (reply.commits.length > 0) return state.answer(call, reply.commits);
  if (reply.grant === null) {
    state.delays.holdUntil(feedKey(volume), after(state.now.at, FEED_PAUSE));
  }
  state.waiting.signal(feedKey(volume));
}

/**
 * Takes a failed question about the feed; the call asks again after a delay. Refuses the call with
 * `history-gone`, upon which the front end reads the volume anew. `code` null: the connection
 * ended.
 */
export function onFollowFailed(
  state: ClientState,
  purpose: { volume: VolumeId; call: number },
  code: ErrorCode | null,
  detail: string,
  jitter: number,
): void {
  // Without the right to look it waits: rights come back with a Hello, and it goes on from where it is.
  if (code === 'history-gone') {
    if (state.waiting.get(purpose.call) !== undefined) state.refuse(purpose.call, code, detail);
    return;
  }
  if (code !== null) state.delays.failed(feedKey(purpose.volume), state.now.at, jitter);
  state.waiting.signal(feedKey(purpose.volume));
}

/** Catches up by itself where the cache has missed something. */
export function sendPendingCatchUp(state: ClientState): void {
  if (!state.session.isUp) return;
  for (const [id, volume] of state.names.volumes) {
    if (volume.catchingUp !== 'wanted') continue;
    if (state.delays.isHeld({ kind: 'catch-up', volume: id }, state.now.at)) continue;
    volume.catchingUp = 'running';
    const body = {
      volume: id,
      since: volume.row.caughtUp,
      limit: MAX_PAGE_COMMITS,
      wait: false,
      promise: false,
    };
    const purpose = { for: 'catch-up', volume: id, since: volume.row.caughtUp } as const;
    state.send({ rpc: 'Changes', body }, 'FETCH', purpose);
  }
}

/** Takes rows of the feed that bring the cache up to date, and goes on until it has all commits. */
export function onCaughtUp(
  state: ClientState,
  purpose: { volume: VolumeId; since: CommitNumber },
  reply: ReplyOf<'Changes'>,
): void {
  const volume = state.names.volumes.get(purpose.volume);
  if (volume === undefined) return;
  state.delays.succeeded({ kind: 'catch-up', volume: purpose.volume });
  patch(state, volume, purpose.since, reply);
  noteHead(state, purpose.volume, reply.head);
  onNewestTold(state, reply.newestDevice);
  onQuotaTold(state, purpose.volume, reply.quota);
  state.sharing.promises.caughtUp(purpose.volume, volume.row.caughtUp);
  const isThere =
    volume.row.caughtUp >= reply.head && !state.sharing.promises.isBehind(purpose.volume);
  volume.catchingUp = isThere ? 'no' : 'wanted';
}

/**
 * Takes a failed catch-up: it is tried again after a delay. With `history-gone` the cache of the
 * volume is dropped, and begins at the newest commit. `code` null: the connection ended.
 */
export function onCatchUpFailed(
  state: ClientState,
  id: VolumeId,
  code: ErrorCode | null,
  jitter: number,
): void {
  const volume = state.names.volumes.get(id);
  if (volume === undefined) return;
  volume.catchingUp = 'wanted';
  if (code === 'history-gone') {
    // No rows say what changed: the cache of this volume begins anew.
    forgetVolume(state, id);
    state.conflict.list.giveUpUnseen(id);
    volume.row = { ...volume.row, caughtUp: volume.head };
    state.names.volumes.save(volume);
    state.sharing.promises.caughtUp(id, volume.head);
    volume.catchingUp = 'no';
  } else if (code !== null) {
    state.delays.failed({ kind: 'catch-up', volume: id }, state.now.at, jitter);
  }
}

function forgetVolume(state: ClientState, id: VolumeId): void {
  const fids = [...state.names.attributes.all()].map((status) => status.fid);
  for (const fid of fids) if (volumeOf(fid) === id) forgetVnode(state, fid);
}

function patch(
  state: ClientState,
  volume: VolumeState,
  since: CommitNumber,
  reply: ReplyOf<'Changes'>,
): void {
  if (since > volume.row.caughtUp) {
    volume.catchingUp = volume.catchingUp === 'no' ? 'wanted' : volume.catchingUp;
    return;
  }
  const { caughtUp } = volume.row;
  for (const set of reply.commits) {
    if (set.commit > caughtUp) noteRemovals(state, set);
    applyChangeSet(state, set);
    if (set.commit > caughtUp) noteBack(state, set);
    if (set.commit > caughtUp) noteConflicts(state, set);
  }
  if (reply.upTo > volume.row.caughtUp) {
    volume.row = { ...volume.row, caughtUp: reply.upTo };
    state.names.volumes.save(volume);
  }
}

/** One commit, as far as it touches what is cached. A follower caches everything. */
export function applyChangeSet(state: ClientState, set: ChangeSet): void {
  const isReplica = state.config.frontEnd === 'folder';
  for (const { dir, name, fid } of set.entries) {
    const base = state.names.directories.get(dir);
    if (base !== undefined && base.asOf < set.commit)
      state.names.directories.change(dir, name, fid);
  }
  for (const status of set.vnodes) {
    const { fid } = status;
    if (status.links === 0) {
      learnStatus(state, status);
      continue;
    }
    const isListed = set.entries.some((e) => e.fid === fid && state.names.directories.has(e.dir));
    const isKnown = state.names.attributes.get(fid) !== undefined;
    if (isReplica && !isKnown && isMade(set, fid) && status.kind === 'directory') {
      state.names.directories.install(fid, set.commit, status.version, new Map());
    }
    if (isKnown || isListed || isReplica) learnStatus(state, status);
    if (state.names.directories.has(fid)) {
      state.names.directories.advance(fid, set.commit, status.version);
      settle(state, fid);
    }
  }
}

/** The commit made this vnode: it set one entry, and freed none. */
function isMade(set: ChangeSet, fid: Fid): boolean {
  return set.entries.length === 1 && set.entries[0]?.fid === fid;
}

/** The whole state of a volume, page by page. */
export function attemptSnapshot(
  state: ClientState,
  call: number,
  what: Extract<FeedCall, { op: 'snapshot' }>,
): Attempt {
  const { volume, position } = what;
  const key = feedKey(volume);
  if (!state.names.volumes.has(volume) || !state.session.isUp)
    return waitFor({ kind: 'volumes' }, key);
  if (isOffering(state, volume)) return waitFor({ kind: 'log' }, key);
  if (isAsking(state, call) || state.delays.isHeld(key, state.now.at)) return waitFor(key);
  const body = {
    volume,
    at: position?.at ?? null,
    after: position?.after ?? null,
    limit: MAX_PAGE_COMMITS,
  };
  const purpose = { for: 'snapshot', volume, call, isFirst: position === null } as const;
  state.send({ rpc: 'Snapshot', body }, 'FETCH', purpose);
  return waitFor(key);
}

/**
 * Takes a page of a volume that a front end reads, and answers the call with it. Statuses are
 * cached at once; directories after the last page.
 */
export function onSnapshot(
  state: ClientState,
  purpose: { volume: VolumeId; call: number; isFirst: boolean },
  page: ReplyOf<'Snapshot'>,
): void {
  const volume = state.names.volumes.get(purpose.volume);
  if (volume === undefined) return;
  state.delays.succeeded(feedKey(purpose.volume));
  if (purpose.isFirst) volume.walk = { at: page.at, directories: new Map() };
  else if (volume.walk?.at !== page.at) volume.walk = null;
  for (const { status, names } of page.vnodes) {
    learnStatus(state, status);
    if (status.kind === 'directory') walked(volume, status.fid).version = status.version;
    for (const { dir, name } of names) walked(volume, dir).entries.set(name, status.fid);
  }
  if (!page.more) installWalk(state, volume);
  noteHead(state, purpose.volume, page.at);
  if (state.waiting.get(purpose.call) !== undefined) state.answer(purpose.call, page);
}

function walked(volume: VolumeState, dir: Fid) {
  const known = volume.walk?.directories.get(dir);
  if (known !== undefined) return known;
  const fresh = { version: dataVersion(0), entries: new Map<string, Fid>() };
  volume.walk?.directories.set(dir, fresh);
  return fresh;
}

/** The walk is complete: every directory is known whole. The cache applies the rows that the feed brought since, again. */
function installWalk(state: ClientState, volume: VolumeState): void {
  const { walk } = volume;
  volume.walk = null;
  if (walk === null) return;
  for (const [dir, { version, entries }] of walk.directories) {
    installDirectory(state, dir, walk.at, version, entries);
    settle(state, dir);
  }
}

/** What a question for changes says of it: only where a folder takes all that there is, and a fetch could begin at once. */
function bringsTo(state: ClientState): { brings?: number } {
  const {
    config,
    cache: { settings: cacheSettings },
    session: { isPaused: paused },
    meta,
  } = state;
  if (config.frontEnd !== 'folder' || cacheSettings.isBounded || paused) return {};
  if (Number(meta.get('protocol') ?? 0) < BRINGS_FROM) return {};
  return bulkDecision(state).kind === 'free' ? { brings: SMALL_SAVE } : {};
}
