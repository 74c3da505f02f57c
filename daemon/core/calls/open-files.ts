/**
 * Open files: contents by local path.
 *
 * Invariants
 * 1. A content under an open handle is held, and nobody writes to it; a writer has a file of its own.
 * 2. Others see what was written when `close` has logged a store, never before (contract 4, 5).
 * 3. A store is made over the version the writer began with; our own stores in between move that on, another's do not:
 *    then the server refuses it and both are kept (C1).
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import {
  dataVersion,
  EMPTY_DIGEST,
  type DataVersion,
  type VnodeStatus,
} from '../../../shared/model/vnode.ts';
import type {
  Attributes,
  Handle,
  OpenHow,
  Place,
  VersionName,
} from '../../../shared/ports/file-system.ts';
import { needCheck } from '../cache/check-contents.ts';
import { attemptReportedClose, closeWhenTold } from '../sharing/reported-closes.ts';
import { joinFetch, needContents, needNewer, needVersion } from '../cache/demand-fetch.ts';
import { contentsKey } from '../cache/fetches.ts';
import { noteAccess } from '../prefetch/prefetch.ts';
import type { CloseChange, FileOutcome, FileSystemCall, RequestId } from '../events.ts';
import { growthOfStore } from '../log/growth.ts';
import { logWritten } from '../log/held-back.ts';
import { mayWrite } from '../quota/room.ts';
import type { ClientState } from '../state.ts';
import { attemptCommitted, closeWhenCommitted, mustWaitForQueue } from './back-pressure.ts';
import {
  isUncommitted,
  lastPlace,
  lastStore,
  originAt,
  viewPlaces,
  viewVersion,
} from '../log/view.ts';
import { needName } from '../log/ask-name.ts';
import { attemptMake } from './mutations.ts';
import { resolveForked } from '../conflict/resolve-contents.ts';
import { attributesAfter, inObservation, settledKey } from '../log/observation.ts';
import { presentStatus } from './reads.ts';
import { done, refused, waitFor, WORKING, type Attempt } from '../waits/attempt-result.ts';
import { isUnheardOf } from '../log/vanish.ts';
import { wallMtime } from '../log/log-update.ts';
import { resolved } from '../names/aliases.ts';
import type { OpenHandle } from './open-handles.ts';
import type { Origin } from '../names/past-places.ts';

/** What `open` answers inside the core: the runtime knows the path of a content. */
export interface OpenedContent {
  readonly handle: Handle;
  readonly content: string;
  readonly attributes: Attributes;
}

/**
 * Attempts to open a file: answers with a handle on cached contents, or waits for a fetch, a
 * validation or a check. An open to write gets a staging file of its own. Refuses with
 * `is-a-directory`, `no-contents`, `no-right`, `volume-removed`, `not-found` or `newer-elsewhere`.
 */
export function attemptOpen(
  state: ClientState,
  call: number,
  given: Fid,
  how: OpenHow,
  since: RequestId,
): Attempt {
  if (how.mode === 'write' && how.base !== undefined && how.truncate) {
    return openObserved(state, call, given, { ...how, base: how.base });
  }
  if (how.mode === 'read' && how.from !== undefined) return openVersion(state, call, how.from);
  const fid = resolved(state, given);
  const found = presentStatus(state, fid, since);
  if ('kind' in found) return found;
  const { status } = found;
  if (status.kind === 'directory') return refused('is-a-directory', `${fid} is a folder`);
  if (status.kind === 'symlink') return refused('no-contents', `${fid} is a link`);
  noteAccess(state, call, status, how);
  const refusal = how.mode === 'write' ? state.names.volumes.writeRefusal(volumeOf(fid)) : null;
  if (refusal !== null) return refused(refusal.code, refusal.message);
  const unknown = how.mode === 'write' ? needName(state, status) : null;
  if (unknown !== null) return waitFor(unknown);
  const full =
    how.mode === 'write' ? mustWaitForQueue(state, call, how.truncate ? null : fid) : null;
  if (full !== null) return full;
  if (how.mode === 'write' && how.truncate) {
    const staging = { fid, base: status.version, from: null, observed: null };
    return begin(state, call, how, staging);
  }
  if (how.mode === 'write' && how.from !== undefined) {
    return openFrom(state, call, { fid, base: status.version }, how.from);
  }
  const contents = presentContents(state, status);
  const joined = contents === null ? joinFetch(state, status) : null;
  if (joined !== null) return waitFor(joined);
  if (asksForNewer(state, fid, since)) {
    needNewer(state, fid, contents === null || contents === EMPTY ? null : status.version);
    return waitFor(contentsKey(fid));
  }
  if (isNewerElsewhere(state, fid)) {
    return refused('newer-elsewhere', 'another laptop has a newer version that can not be had now');
  }
  if (contents === EMPTY) {
    if (how.mode === 'write') {
      return stage(state, call, { fid, base: status.version, from: null, observed: null });
    }
    return openEmpty(state, call, fid);
  }
  if (contents === null) return waitFor(needContents(state, fid, status));
  if (isChanging(state, fid, since)) {
    needNewer(state, fid, state.sharing.isHeard ? status.version : null);
    return waitFor(contentsKey(fid));
  }
  const check = needCheck(state, contents.name);
  if (check !== null) return waitFor(check);
  state.cache.files.used(contents.name);
  if (how.mode === 'write') {
    const base = how.base ?? status.version;
    return stage(state, call, {
      fid,
      base,
      from: contents.name,
      observed: how.base === undefined ? null : { ahead: 0, digest: how.digest ?? null },
    });
  }
  return done(register(state, fid, contents.name, false, status.version, null));
}

/** A front end writes what it has seen on its disk, made over a version that it names. */
function openObserved(
  state: ClientState,
  call: number,
  given: Fid,
  how: Extract<OpenHow, { readonly mode: 'write' }> & { readonly base: DataVersion },
): Attempt {
  const { base, digest = null, place = null } = how;
  const seen = inObservation(state, { fid: given, base, digest });
  if (!state.names.volumes.has(volumeOf(seen.fid)))
    return refused('not-found', `${given} is unknown`);
  return begin(state, call, how, { ...seen, from: null, observed: { ...seen, digest }, place });
}

/** Nothing is made while a write may not begin. */
export function attemptCreateOpen(
  state: ClientState,
  call: number,
  what: Extract<FileSystemCall, { op: 'create' | 'create-open' | 'mkdir' }>,
  since: RequestId,
): Attempt {
  const full = mustWaitForQueue(state, call, null);
  if (full !== null) return full;
  const made = attemptMake(state, what, since);
  if (made.kind !== 'done') return made;
  const { fid, version } = made.value as Attributes;
  return stage(state, call, { fid, base: version, from: null, observed: null });
}

/** A private file that begins with one version that was: fetched for this, and kept no longer than it takes. */
function openFrom(
  state: ClientState,
  call: number,
  { fid, base }: { fid: Fid; base: DataVersion },
  from: VersionName,
): Attempt {
  const staging = { fid, base, observed: null };
  return withVersion(
    state,
    from,
    () => stage(state, call, { ...staging, from: null }),
    (cached) => stage(state, call, { ...staging, from: cached }),
  );
}

/** One version that was, to be read: of a snapshot. Its file may have ended. */
function openVersion(state: ClientState, call: number, from: VersionName): Attempt {
  const { fid, version } = from;
  return withVersion(
    state,
    from,
    () => openEmpty(state, call, fid),
    (cached) => done(register(state, fid, cached, false, version, null)),
  );
}

/** When its contents are here they are used; what nothing else wants is dropped when that use ends. */
function withVersion(
  state: ClientState,
  from: VersionName,
  whenEmpty: () => Attempt,
  use: (cached: string) => Attempt,
): Attempt {
  if (!state.names.volumes.has(volumeOf(from.fid)))
    return refused('not-found', `${from.fid} is unknown`);
  if (from.digest === EMPTY_DIGEST) return whenEmpty();
  const cached = state.cache.files.find(from);
  if (cached === null && state.session.isUp && state.names.volumes.isShut(from.fid)) {
    // The server would refuse it as often as it is asked.
    return refused('no-such-volume', 'this device may not see that volume now');
  }
  if (cached === null) return waitFor(needVersion(state, from));
  const check = needCheck(state, cached.name);
  if (check !== null) return waitFor(check);
  const isPresent = state.names.attributes.get(from.fid)?.version === from.version;
  const isWanted = isPresent || state.cache.files.isHeld(cached.name);
  const attempt = use(cached.name);
  if (!isWanted) state.cache.files.doom(cached.name);
  return attempt;
}

/** Somebody has something newer hidden, and we have nothing of our own over what there is. */
function asksForNewer(state: ClientState, fid: Fid, since: RequestId): boolean {
  if (!state.session.isUp || state.names.volumes.isShut(fid) || !state.sharing.isHeard)
    return false;
  return state.sharing.behind.mustAsk(fid, since) && lastStore(state, fid) === undefined;
}

/** Rule S4: it was asked for, in vain, and who reads wants no older one. */
function isNewerElsewhere(state: ClientState, fid: Fid): boolean {
  if (state.sharing.settings.awayReads !== 'try-again' || !state.session.isUp) return false;
  return (
    state.sharing.behind.has(fid) && !state.isPromised(fid) && lastStore(state, fid) === undefined
  );
}

const EMPTY = { name: '' };

/** The contents that the view shows, by name in the file store; EMPTY: nothing was stored yet, here or elsewhere. */
function presentContents(
  state: ClientState,
  status: VnodeStatus,
): { readonly name: string } | null {
  const store = lastStore(state, status.fid);
  if (store !== undefined && store.content !== null) return { name: store.content };
  if (isUncommitted(state, status.fid)) return EMPTY;
  if (status.digest === null) return null;
  return state.cache.files.find(status);
}

/** Another laptop has a newer version on its way (rule S2): only a fetch waits for that, and has it hurried. */
function isChanging(state: ClientState, fid: Fid, since: RequestId): boolean {
  if (!state.session.isUp || state.names.volumes.isShut(fid) || state.isPromised(fid)) return false;
  return lastStore(state, fid) === undefined && state.sharing.promises.mayBeChanging(fid, since);
}

function register(
  state: ClientState,
  fid: Fid,
  content: string,
  writing: boolean,
  base: DataVersion,
  observed: OpenHandle['observed'],
  place: Place | null = null,
): OpenedContent {
  state.cache.files.hold(content);
  const had = writing ? originOf(state, fid, place) : null;
  const handle = state.calls.handles.open({ fid, content, writing, base, observed, had });
  return { handle, content, attributes: attributesAfter(state, fid) };
}

interface Staging {
  readonly fid: Fid;
  readonly base: DataVersion;
  readonly from: string | null;
  readonly observed: OpenHandle['observed'];
  /** The place at which the front end has the file. */
  readonly place?: Place | null;
}

/** The place of a file in the view, else the given one of the front end, else its last known one; null if there is none. */
function originOf(state: ClientState, fid: Fid, given: Place | null): Origin | null {
  const place = viewPlaces(state, fid)[0] ?? given ?? lastPlace(state, fid);
  return place === undefined ? null : originAt(state, place);
}

/** An empty private file, or where the caller brings one the place for it. */
function begin(
  state: ClientState,
  call: number,
  how: { readonly bare?: boolean },
  staging: Staging,
): Attempt {
  if (how.bare !== true) return stage(state, call, staging);
  const { fid, base, observed, place = null } = staging;
  return done(register(state, fid, state.cache.files.newName(), true, base, observed, place));
}

function stage(state: ClientState, call: number, staging: Staging): Attempt {
  const name = state.cache.files.newName();
  const { fid, base, observed, place = null } = staging;
  const opened = register(state, fid, name, true, base, observed, place);
  if (staging.from !== null) state.cache.files.hold(staging.from);
  const purpose = { for: 'open', call, opened, from: staging.from } as const;
  state.runTask({ what: 'stage', name, from: staging.from, call }, purpose);
  return WORKING;
}

function openEmpty(state: ClientState, call: number, fid: Fid): Attempt {
  const name = state.cache.files.newName();
  const opened = register(state, fid, name, false, viewVersion(state, fid), null);
  state.runTask(
    { what: 'stage', name, from: null, call },
    { for: 'open', call, opened, from: null },
  );
  return WORKING;
}

/** The private file is there, or could not be made. */
export function onStaged(
  state: ClientState,
  purpose: { call: number; opened: OpenedContent; from: string | null },
  outcome: FileOutcome,
): void {
  const { call, opened, from } = purpose;
  if (from !== null) state.cache.files.release(from);
  const isWanted = state.waiting.get(call) !== undefined;
  if (outcome.ok && isWanted) return state.answer(call, opened);
  dropHandle(state, opened.handle);
  if (!outcome.ok && isWanted) state.refuse(call, outcome.code, outcome.message);
}

/**
 * Attempts to close a handle. After a write it seals the staging file, and the end of that task
 * logs the store. `changed` null: nothing was written. Refuses with `bad-handle` a handle that is
 * not open, or not to write.
 */
export function attemptClose(
  state: ClientState,
  call: number,
  id: Handle,
  changed: CloseChange | null,
): Attempt {
  const committing = state.calls.syncClose(call);
  if (committing !== undefined) return attemptCommitted(state, committing);
  const told = state.sharing.toldCloses.get(call);
  if (told !== undefined) return attemptReportedClose(state, told);
  const handle = state.calls.handles.get(id);
  if (handle === undefined || handle.closing) return refused('bad-handle', 'the file is not open');
  if (changed === null) {
    dropHandle(state, id);
    return done(attributesAfter(state, handle.fid));
  }
  if (!handle.writing) return refused('bad-handle', 'the file was opened to read');
  handle.closing = true;
  const work = {
    what: 'seal',
    name: handle.content,
    digest: changed.digest ?? null,
    call,
  } as const;
  state.runTask(work, { for: 'close', call, handle: id, changed });
  return WORKING;
}

/** What was written is durable: log the store. */
export function onSealed(
  state: ClientState,
  purpose: { call: number; handle: Handle; changed: CloseChange },
  outcome: FileOutcome,
): void {
  const handle = state.calls.handles.get(purpose.handle);
  if (handle === undefined) return;
  handle.closing = false;
  state.waiting.signal(settledKey(handle.fid));
  if (!outcome.ok || outcome.digest === null) {
    const [code, message] = outcome.ok
      ? (['internal', 'a sealed file has no digest'] as const)
      : ([outcome.code, outcome.message] as const);
    state.refuse(purpose.call, code, message);
    return;
  }
  const target = storeTarget(state, handle);
  if (handle.observed === null && !hasRoom(state, target.fid, outcome.length)) {
    state.refuse(purpose.call, 'over-quota', 'the quota of the volume has no room for it');
    return;
  }
  const update = {
    op: 'store',
    fid: target.fid,
    base: target.base,
    size: outcome.length,
    digest: outcome.digest,
    mtime: purpose.changed.mtime ?? wallMtime(state),
  } as const;
  const version = dataVersion(update.base + 1);
  state.cache.files.add({
    name: handle.content,
    fid: update.fid,
    version,
    digest: update.digest,
    size: update.size,
  });
  const logged = logWritten(state, update, handle.content, handle.had);
  state.calls.handles.close(handle.handle);
  if (logged.update.op === 'store') {
    moveBasesOn(state, update.fid, update.base, dataVersion(logged.update.base + 1));
  }
  const before = logged.update.op === 'store' ? logged.update.base : update.base;
  const isObserved = handle.observed !== null;
  const seen = dataVersion(before + 1 + target.ahead);
  state.calls.notes.keep(purpose.changed.note, update.fid, seen);
  if (isObserved) resolveForked(state, logged, update);
  else if (closeWhenCommitted(state, purpose.call, logged)) return;
  else if (closeWhenTold(state, purpose.call, logged)) return;
  const attributes = attributesAfter(state, update.fid);
  state.answer(purpose.call, isObserved ? { ...attributes, version: seen } : attributes);
}

function hasRoom(state: ClientState, fid: Fid, size: number): boolean {
  return mayWrite(state, volumeOf(fid), growthOfStore(state, fid, size));
}

/** The vnode and base version that the written contents belong to by now, and by how many versions the front end that saved them counts ahead. */
function storeTarget(
  state: ClientState,
  { fid, base, observed }: OpenHandle,
): { fid: Fid; base: DataVersion; ahead: number } {
  if (observed === null) return { fid: resolved(state, fid), base, ahead: 0 };
  const target = inObservation(state, { fid, base, digest: observed.digest });
  return { ...target, ahead: observed.ahead + target.ahead };
}

/**
 * Moves the base of open writers from `before` to `after`, for our own store is no foreign change. A front end that reports what it found on its disk
 * keeps its base, since it has not shown that store there.
 */
function moveBasesOn(state: ClientState, fid: Fid, before: DataVersion, after: DataVersion): void {
  for (const handle of state.calls.handles.values()) {
    if (handle.observed !== null || handle.fid !== fid) continue;
    if (handle.writing && handle.base === before) handle.base = after;
  }
}

/**
 * Closes a handle and drops what was written under it. Refuses with `bad-handle` a handle that is
 * not open.
 */
export function attemptAbandon(state: ClientState, id: Handle): Attempt {
  const handle = state.calls.handles.get(id);
  if (handle === undefined || handle.closing) return refused('bad-handle', 'the file is not open');
  dropHandle(state, id);
  return done(null);
}

function dropHandle(state: ClientState, id: Handle): void {
  const handle = state.calls.handles.get(id);
  if (handle === undefined) return;
  state.calls.handles.close(id);
  // Removed meanwhile, with nothing of it sent: the last open has gone (W5).
  if (isUnheardOf(state, handle.fid)) state.quota.noteEnded(handle.fid);
  if (state.cache.files.get(handle.content) !== undefined)
    state.cache.files.release(handle.content);
  // It is in no cache: a private file, or an empty stand-in.
  else state.out.emit({ kind: 'file', task: 0, work: { what: 'remove', name: handle.content } });
}
