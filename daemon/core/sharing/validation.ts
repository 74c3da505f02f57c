/**
 * Asks the server about vnodes and directories, and takes in what it says.
 *
 * What a step finds it must ask is gathered and goes out in one message at its end, together with the rest of the directory it
 * is about; so a walk over a tree costs a round trip for each directory, not for each file.
 */
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { MAX_FIDS, MAX_PAGE_ENTRIES } from '../../../shared/wire/limits.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { VALIDATE_ALONG } from '../../limits.ts';
import type { RequestId } from '../events.ts';
import type { ClientState } from '../state.ts';
import { wishFor } from './sharing-orders.ts';
import { installDirectory } from '../names/install-directory.ts';
import { isMadeHere, isUncommitted } from '../log/view.ts';
import { settle } from '../log/settle.ts';
import { learnGranted, foundGone } from '../log/learn.ts';
import type { WaitKey } from '../waits/wait-key.ts';

export const statusKey = (fid: Fid): WaitKey => ({ kind: 'status', fid });
const directoryKey = (fid: Fid): WaitKey => ({ kind: 'directory', fid });

/** What was promised of a vnode is used without asking the server. */
const believes = (state: ClientState, fid: Fid): boolean =>
  state.config.without?.promises !== true && state.isPromised(fid);

/** What is cached of a vnode is good for a call that came at `since`. */
export function isCurrent(state: ClientState, fid: Fid, since: RequestId): boolean {
  if (!state.session.isUp) return state.isAway();
  if (state.names.volumes.isShut(fid)) return true;
  return believes(state, fid) || state.sharing.promises.confirmedSince(fid, since);
}

/**
 * Makes sure of a vnode's status. null: it is as the cache says (nothing cached: it is gone, or may not be seen). Else what to wait for.
 * The server says of nothing in a volume that may not be seen that it is there: nothing of that is asked.
 */
export function needStatus(state: ClientState, fid: Fid, since: RequestId): WaitKey | null {
  if (isUncommitted(state, fid)) return null;
  const known = state.names.attributes.get(fid) !== undefined;
  if (known) state.names.unused.touch(fid, state.now.at);
  if (!state.session.isUp) return known && state.isAway() ? null : statusKey(fid);
  if (state.names.volumes.isShut(fid)) return null;
  if (state.sharing.promises.confirmedSince(fid, since)) return null;
  if (known && believes(state, fid)) return null;
  state.sharing.questions.want(fid);
  return statusKey(fid);
}

/** The same for a directory with its entries. null with no entries cached: it is gone, or none, or may not be seen. */
export function needDirectory(state: ClientState, dir: Fid, since: RequestId): WaitKey | null {
  if (isUncommitted(state, dir)) return null;
  const base = state.names.directories.get(dir);
  if (base !== undefined) state.names.unused.touch(dir, state.now.at);
  if (!state.session.isUp) {
    const isKnown = base !== undefined || isMadeHere(state, dir);
    return isKnown && state.isAway() ? null : directoryKey(dir);
  }
  if (state.names.volumes.isShut(dir)) return null;
  const status = state.names.attributes.get(dir);
  if (status !== undefined && status.kind !== 'directory') {
    return needStatus(state, dir, since);
  }
  if (base !== undefined && status !== undefined && base.version === status.version) {
    if (isCurrent(state, dir, since)) return null;
    state.sharing.questions.want(dir);
    validateNearby(state, [...base.entries.values()]);
    return statusKey(dir);
  }
  if (status === undefined && state.sharing.promises.confirmedSince(dir, since)) return null;
  askDirectory(state, dir);
  return directoryKey(dir);
}

/** The rest of a directory whose attributes will be asked for next. */
export function validateNearby(state: ClientState, fids: readonly Fid[]): void {
  let room = state.sharing.settings.validations === 'each' ? 0 : VALIDATE_ALONG;
  for (const fid of fids) {
    if (room <= 0) return;
    if (state.names.attributes.get(fid) === undefined || state.isPromised(fid)) continue;
    if (isUncommitted(state, fid) || state.names.volumes.isShut(fid)) continue;
    state.sharing.questions.want(fid);
    room -= 1;
  }
}

/** Sends what this step found it must ask. */
export function sendValidations(state: ClientState): void {
  const wanted = state.sharing.questions.takeWanted();
  if (wanted.length === 0) return;
  // What is asked for nobody is asked again for somebody: it would wait behind everything.
  const { askedQuietly } = state.prefetch;
  const isAsked = (fid: Fid): boolean =>
    state.sharing.questions.isAsked(fid) && !askedQuietly.has(fid);
  const fids = wanted.filter(
    (fid) => !isAsked(fid) && !state.delays.isHeld(statusKey(fid), state.now.at),
  );
  if (!state.session.isUp) return;
  for (const fid of fids) askedQuietly.delete(fid);
  ask(state, fids, 'VALIDATE');
}

/** Asks for nobody: when nothing else is to be sent. */
export function validateQuietly(state: ClientState, fids: readonly Fid[]): void {
  const { asking, askedQuietly } = state.prefetch;
  for (const fid of fids) if (!state.sharing.questions.isAsked(fid)) askedQuietly.add(fid);
  for (const request of ask(state, fids, 'PREFETCH')) asking.add(request);
}

function ask(state: ClientState, fids: readonly Fid[], priorityClass: PriorityClass): RequestId[] {
  const sent: RequestId[] = [];
  const known = fids.filter((fid) => state.names.attributes.get(fid) !== undefined);
  const unknown = fids.filter((fid) => state.names.attributes.get(fid) === undefined);
  const most = state.sharing.settings.validations === 'each' ? 1 : MAX_FIDS;
  for (const part of inParts(known, most)) {
    const items = part.map((fid) => ({
      fid,
      commit: (state.names.attributes.get(fid) as VnodeStatus).commit,
      ...wishFor(state, fid),
    }));
    const purpose = { for: 'validate', fids: part } as const;
    sent.push(state.send({ rpc: 'Validate', body: { items } }, priorityClass, purpose));
  }
  for (const part of inParts(unknown, most)) {
    const purpose = { for: 'status', fids: part } as const;
    const message = { rpc: 'FetchStatus', body: { fids: part } } as const;
    sent.push(state.send(message, priorityClass, purpose));
  }
  for (const fid of fids) state.sharing.questions.asked(fid);
  return sent;
}

/**
 * Takes the answers to Validate or FetchStatus: learns statuses and promises, and wakes the calls
 * that wait for them. A vnode without a status that is not current is gone.
 */
export function onStatuses(
  state: ClientState,
  request: RequestId,
  asked: readonly Fid[],
  items: ReplyOf<'Validate'>['items'] | ReplyOf<'FetchStatus'>['items'],
): void {
  for (const fid of asked) state.sharing.questions.answered(fid);
  answeredQuietly(state, request, asked);
  // The answer had no room for these: the calls that wait for them ask again.
  for (const fid of asked.slice(items.length)) state.waiting.signal(statusKey(fid));
  for (const item of items) {
    state.delays.succeeded(statusKey(item.fid));
    state.sharing.behind.told(item.fid, item.behind === true, request);
    const current = 'current' in item && item.current;
    if (item.status !== null) learnGranted(state, item.status, item.grant, request, item.unshared);
    else if (current) state.sharing.promises.granted(item.fid, item.grant, request, item.unshared);
    else foundGone(state, item.fid, request);
    state.waiting.signal(statusKey(item.fid));
  }
}

function answeredQuietly(
  { prefetch }: ClientState,
  request: RequestId,
  asked: readonly Fid[],
): void {
  if (prefetch.lookAtPins) prefetch.look = true;
  if (!prefetch.asking.delete(request)) return;
  for (const fid of asked) prefetch.askedQuietly.delete(fid);
  prefetch.look = true;
}

/** Takes a validation of these vnodes that failed for now: the calls that wait go on waiting for the next attempt. */
export function onStatusesFailed(
  state: ClientState,
  request: RequestId,
  asked: readonly Fid[],
  jitter: number,
): void {
  // Not looked at again for this: it would be asked over and over.
  state.prefetch.asking.delete(request);
  for (const fid of asked) {
    state.sharing.questions.answered(fid);
    state.prefetch.askedQuietly.delete(fid);
    if (state.waiting.isAwaited(statusKey(fid))) {
      state.delays.failed(statusKey(fid), state.now.at, jitter);
    }
  }
}

/** Asks for a directory that no call waits for. */
export function askDirectory(state: ClientState, dir: Fid): void {
  if (!state.delays.isHeld(directoryKey(dir), state.now.at)) loadDirectory(state, dir);
}

function loadDirectory(state: ClientState, dir: Fid): void {
  if (state.sharing.questions.beginLoad(dir) === null) return;
  validatePage(state, dir, null, null);
}

function validatePage(
  state: ClientState,
  dir: Fid,
  at: ReplyOf<'FetchDir'>['at'] | null,
  after: string | null,
): void {
  const body = { fid: dir, at, after, limit: MAX_PAGE_ENTRIES };
  state.send({ rpc: 'FetchDir', body }, 'FETCH', { for: 'directory', fid: dir });
}

/**
 * Takes a page of a listing and asks for the next one. After the last page it installs the
 * directory in the name cache.
 */
export function onDirectoryPage(
  state: ClientState,
  request: RequestId,
  dir: Fid,
  page: ReplyOf<'FetchDir'>,
): void {
  const load = state.sharing.questions.load(dir);
  if (load === undefined) return;
  const behind = new Set(page.behind);
  // The promise is for all that is listed, and broken at once for what somebody has something newer of: that break is on its way.
  const grantOf = (fid: Fid): GrantNumber | null => (behind.has(fid) ? null : page.grant);
  if (load.first === null) {
    load.first = { at: page.at, request };
    learnGranted(state, page.status, grantOf(dir), request, page.unshared);
  }
  const { first } = load;
  // All pages are as of the first. One without a promise says no more than that, however much later it was asked for.
  const sayingSo = page.grant === null ? first.request : request;
  for (const { name, status } of page.entries) {
    load.entries.set(name, status.fid);
    state.sharing.behind.told(status.fid, behind.has(status.fid), request);
    learnGranted(state, status, grantOf(status.fid), sayingSo);
  }
  const last = page.entries.at(-1);
  if (page.more && last !== undefined) return validatePage(state, dir, page.at, last.name);
  state.sharing.questions.endLoad(dir);
  installDirectory(state, dir, first.at, page.status.version, load.entries);
  settle(state, dir);
  state.delays.succeeded(directoryKey(dir));
  if (state.cache.pins.size > 0) state.prefetch.look = true;
  state.waiting.signal(directoryKey(dir));
}

/**
 * Takes a failed listing: a directory that is gone leaves the cache, and others are asked for again
 * after a delay. `code` null: the connection ended.
 */
export function onDirectoryFailed(
  state: ClientState,
  request: RequestId,
  dir: Fid,
  code: ErrorCode | null,
  jitter: number,
): void {
  state.sharing.questions.endLoad(dir);
  if (code === 'no-such-vnode') {
    foundGone(state, dir, request);
    state.waiting.signal(directoryKey(dir));
    return;
  }
  if (code !== null) state.delays.failed(directoryKey(dir), state.now.at, jitter);
}

function inParts(fids: readonly Fid[], most: number): Fid[][] {
  const parts: Fid[][] = [];
  for (let at = 0; at < fids.length; at += most) parts.push(fids.slice(at, at + most));
  return parts;
}
