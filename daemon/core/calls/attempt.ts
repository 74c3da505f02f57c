/** One attempt of a call: the table from operations to their attempts. */
import { dropAlias, resolved } from '../names/aliases.ts';
import { attemptChanges, attemptSnapshot } from '../sharing/change-feed.ts';
import { attemptOrder } from '../sharing/sharing-orders.ts';
import { attemptLock, attemptUnlock } from '../lock/user-locks.ts';
import { attemptLimits } from '../network/transfer-limits.ts';
import { attemptConsistency } from '../sharing/consistency-settings.ts';
import { nowFollowed } from '../names/followed.ts';
import { attemptCacheAct } from './cache-calls.ts';
import { attemptCacheSettings } from '../cache/update-cache.ts';
import { attemptObtain } from '../cache/obtain.ts';
import { tellRenamed } from '../conflict/outcome.ts';
import { attemptFlush } from '../log/flush.ts';
import type { Call, FeedCall } from '../events.ts';
import type { ClientState } from '../state.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { Became } from '../../../shared/ports/feed.ts';
import {
  attemptLink,
  attemptMake,
  attemptRemove,
  attemptRename,
  attemptSetattr,
} from './mutations.ts';
import { attemptAbandon, attemptClose, attemptCreateOpen, attemptOpen } from './open-files.ts';
import { attemptNetworkRule } from './network-rule.ts';
import { attemptPast } from './past.ts';
import { impossible, tooNewForServer } from './possible.ts';
import { attemptGetattr, attemptLookup, attemptReaddir, attemptVolumes } from './reads.ts';
import { attemptWriteback } from '../log/policy.ts';
import { attemptQueueOrder } from './queue-orders.ts';
import { attemptRenameDevice } from '../names/device-name.ts';
import { done, waitFor, type Attempt } from '../waits/attempt-result.ts';
import type { WaitingCall } from '../waits/waiting-calls.ts';
import { feedKey } from '../names/heads.ts';
import { statusKey } from '../sharing/validation.ts';

/** Calls that wait for the server as long as it takes. */
export function isPatient(what: Call): boolean {
  switch (what.op) {
    case 'changes':
    case 'snapshot':
    case 'obtain':
    case 'present':
    case 'flush':
    case 'volumes':
      return true;
    default:
      return false;
  }
}

/**
 * Attempts one waiting call: it is done, refused, waits for facts, or goes on with work on files.
 */
export function attempt(state: ClientState, waiting: WaitingCall): Attempt {
  const { call, what, requestId } = waiting;
  const never = impossible(what) ?? tooNewForServer(state, what);
  if (never !== null) return never;
  switch (what.op) {
    case 'volumes':
      return attemptVolumes(state);
    case 'lookup':
      return attemptLookup(state, { ...what, dir: resolved(state, what.dir) }, requestId);
    case 'getattr':
      return attemptGetattr(state, resolved(state, what.fid), requestId);
    case 'readdir':
      return attemptReaddir(state, { ...what, dir: resolved(state, what.dir) }, requestId);
    case 'create-open':
      return attemptCreateOpen(state, call, what, requestId);
    case 'create':
    case 'mkdir':
    case 'symlink':
      return attemptMake(state, what, requestId);
    case 'link':
      return attemptLink(state, what, requestId);
    case 'remove':
    case 'rmdir':
      return attemptRemove(state, what, requestId);
    case 'rename':
      return attemptRename(state, what, requestId);
    case 'setattr':
      return attemptSetattr(state, what.fid, what.change, requestId);
    case 'open':
      return attemptOpen(state, call, what.fid, what.how, requestId);
    case 'close':
      return attemptClose(state, call, what.handle, what.changed);
    case 'abandon':
      return attemptAbandon(state, what.handle);
    case 'flush':
      return attemptFlush(state, call, what.volume, what.timeoutMs);
    case 'limits':
      return attemptLimits(state, what.change);
    case 'network-rule':
      return attemptNetworkRule(state, what);
    case 'past':
      return attemptPast(state, call, what.question);
    case 'sharing':
      return attemptOrder(state, call, resolved(state, what.fid), what.order);
    case 'lock':
      return attemptLock(state, call, resolved(state, what.fid), what.mode);
    case 'unlock':
      return attemptUnlock(state, call, resolved(state, what.fid), what.breaks);
    case 'rename-device':
      return attemptRenameDevice(state, call, what.name);
    case 'queue':
      return attemptQueueOrder(state, what.order);
    case 'consistency':
      return attemptConsistency(state, what.change);
    case 'writeback':
      return attemptWriteback(state, what.change);
    case 'pin':
    case 'unpin':
    case 'evict':
    case 'prefetch':
    case 'demand':
    case 'exclude':
    case 'include':
      return attemptCacheAct(state, waiting, what.op, what.fid);
    case 'cache-settings':
      return attemptCacheSettings(state, what.change);
    default:
      return attemptFeed(state, waiting, what);
  }
}

function attemptFeed(state: ClientState, waiting: WaitingCall, what: FeedCall): Attempt {
  switch (what.op) {
    case 'changes':
      nowFollowed(state, what.volume);
      return attemptChanges(state, waiting.call, what.volume, what.since);
    case 'snapshot':
      nowFollowed(state, what.volume);
      return attemptSnapshot(state, waiting.call, what);
    case 'obtain':
      return attemptObtain(state, waiting.call, what.fid, what.version, what.digest);
    case 'present':
      return attemptPresent(state, waiting, what.fid);
    case 'adjusted':
      return attemptAdjusted(state, what.id, what.became);
    case 'noted':
      state.calls.notes.drop(what.ids);
      return done(null);
  }
}

/** The server's present status, not the view's. As the feed itself it waits for the right to look to come back. */
function attemptPresent(
  state: ClientState,
  { requestId }: WaitingCall,
  fid: Extract<FeedCall, { op: 'present' }>['fid'],
): Attempt {
  if (!state.session.isUp || state.names.volumes.isShut(fid))
    return waitFor(feedKey(volumeOf(fid)));
  if (!state.sharing.promises.confirmedSince(fid, requestId)) {
    state.sharing.questions.want(fid);
    return waitFor(statusKey(fid));
  }
  return done(state.names.attributes.get(fid) ?? null);
}

/** The front end has done what an adjustment asked for: calls for the old fid are about the server's vnode again. */
function attemptAdjusted(state: ClientState, id: number, became: Became | null): Attempt {
  const adjustment = state.conflict.adjustments.get(id);
  if (adjustment === undefined) return done(null);
  state.conflict.adjustments.remove(id);
  if (adjustment.kind === 'restored') tellRenamed(state, adjustment, became);
  const { kind } = adjustment;
  const isServers =
    kind === 'copied' ||
    (kind === 'merged' && state.names.attributes.get(adjustment.fid) !== undefined);
  if (isServers && state.names.aliases.get(adjustment.fid)?.kind === kind) {
    dropAlias(state, adjustment.fid);
  }
  state.changed = true;
  return done(null);
}
