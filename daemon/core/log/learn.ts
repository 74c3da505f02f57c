/** Takes in what the server says of vnodes: the base of the view, over which the log lies. */
import type { ClientState } from '../state.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { RequestId } from '../events.ts';
import { settle } from './settle.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { dropAlias } from '../names/aliases.ts';
import type { LoggedUpdate } from './update-log.ts';

/**
 * Takes a status from the server with the promise for it. If the status is not taken, its promise does not count for the cached one, and calls that
 * wait ask again. A status is not taken if a later request has found the vnode gone.
 */
export function learnGranted(
  state: ClientState,
  status: VnodeStatus,
  grant: GrantNumber | null,
  request: RequestId,
  isOwn = false,
): void {
  const { fid } = status;
  if (state.names.attributes.isPassedOver(status)) return;
  const isGone = state.names.attributes.get(fid) === undefined;
  if (isGone && state.sharing.promises.confirmedSince(fid, request)) return;
  learnStatus(state, status);
  state.sharing.promises.granted(fid, grant, request, isOwn);
}

/** Takes a status from the server into the cache. */
export function learnStatus(state: ClientState, status: VnodeStatus): void {
  if (status.links === 0) {
    forgetVnode(state, status.fid);
    state.cache.endWishes(status.fid);
    return state.names.attributes.ended(status.fid, status.commit);
  }
  const isKnown = state.names.attributes.get(status.fid) !== undefined;
  if (!state.names.attributes.learn(status)) return;
  if (!isKnown) state.log.becameKnown(status.fid);
  noteBlocked(state, status.fid);
  meanServers(state, status.fid);
  if (status.kind === 'file') state.cache.files.superseded(status);
  settle(state, status.fid);
}

/**
 * Ours of this fid became another vnode, and now the server has one of it: another device has offered it again (rule I1), or another copy
 * of our data folder made it (rule I2). Calls for the fid mean that one, once the front end does not speak of ours by it.
 */
export function meanServers(state: ClientState, fid: Fid): void {
  if (state.names.aliases.get(fid)?.kind !== 'merged' || state.conflict.adjustments.merges(fid))
    return;
  dropAlias(state, fid);
}

/** The answer to a request: the server has no such vnode. Of a volume that may not be seen it says so of all, and what is kept of it stays. */
export function foundGone(state: ClientState, fid: Fid, request: RequestId): void {
  if (state.names.volumes.isShut(fid)) return;
  forgetVnode(state, fid);
  state.cache.endWishes(fid);
  state.sharing.promises.granted(fid, null, request);
}

/** The server has it no more. */
export function forgetVnode(state: ClientState, fid: Fid): void {
  noteBlocked(state, fid);
  state.names.attributes.forget(fid);
  state.names.directories.forget(fid);
  state.sharing.promises.forget(fid);
  state.cache.files.keepOnly(fid, null);
  settle(state, fid);
}

/** Somebody else may have made what this device may not. */
function noteBlocked(state: ClientState, fid: Fid): void {
  const logged = state.log.index.onVnode(fid);
  if (logged.some((entry) => (entry as LoggedUpdate).state === 'blocked')) {
    state.recovery.noteBlocked(fid);
  }
}
