/** What a person asks of the contents of one vnode: to have them here, always or for now, or not to. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { ContentsAct } from '../../../shared/model/cache.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import { EMPTY_DIGEST, type VnodeStatus } from '../../../shared/model/vnode.ts';
import { attemptExclusion } from './exclusions.ts';
import { presentStatus } from './reads.ts';
import { done, refused, waitFor, type Attempt } from '../waits/attempt-result.ts';
import type { WaitingCall } from '../waits/waiting-calls.ts';
import { noteAccess } from '../prefetch/prefetch.ts';
import type { ClientState } from '../state.ts';
import { attributesOf, isUncommitted, lastStore, pathOf, pinOf, viewPlaces } from '../log/view.ts';
import { needContents } from '../cache/demand-fetch.ts';
import { wakeFrontEnds } from '../cache/update-cache.ts';
import { resolved } from '../names/aliases.ts';

/** `bytes`: of the contents that came, went, or were pinned. `kept`: why nothing was done though it was asked for. */
export interface CacheOutcome {
  readonly kind: 'done' | 'unchanged' | 'kept';
  readonly bytes: number;
  readonly kept: string | null;
}

const outcome = (kind: CacheOutcome['kind'], bytes = 0, kept: string | null = null): Attempt =>
  done({ kind, bytes, kept } satisfies CacheOutcome);

/**
 * Attempts to pin, unpin, evict, prefetch or demand the contents of one vnode, or to exclude or
 * include it.
 */
export function attemptCacheAct(
  state: ClientState,
  waiting: WaitingCall,
  act: ContentsAct | 'exclude' | 'include',
  given: Fid,
): Attempt {
  if (act === 'exclude' || act === 'include') return attemptExclusion(state, waiting, act, given);
  const { call, requestId: since } = waiting;
  const fid = resolved(state, given);
  if (act === 'unpin') return unpin(state, fid);
  const found = presentStatus(state, fid, since);
  if ('kind' in found) return found;
  switch (act) {
    case 'pin':
      return pin(state, fid, found.status.size);
    case 'evict':
      return evict(state, fid);
    case 'demand':
      return demand(state, call, found.status);
    case 'prefetch':
      return have(state, found.status, 'PREFETCH');
  }
}

/** As a program that opens it to read. */
function demand(state: ClientState, call: number, status: VnodeStatus): Attempt {
  noteAccess(state, call, status, { mode: 'read' });
  const cached = status.kind === 'file' ? state.cache.files.find(status) : null;
  if (cached !== null) state.cache.files.used(cached.name);
  return have(state, status, 'FETCH');
}

function have(
  state: ClientState,
  status: VnodeStatus,
  priorityClass: 'FETCH' | 'PREFETCH',
): Attempt {
  const { fid, kind, digest, size } = status;
  if (kind !== 'file' || digest === EMPTY_DIGEST) return outcome('unchanged');
  if (attributesOf(state, status).cached) return outcome('unchanged', size);
  if (digest === null) return refused('no-contents', 'nobody has sent its contents yet');
  return waitFor(needContents(state, fid, status, priorityClass));
}

function pin(state: ClientState, fid: Fid, size: number): Attempt {
  if (state.cache.pins.has(fid)) return outcome('unchanged', size);
  state.cache.pins.set(fid, { since: state.now.wall });
  state.prefetch.lookAtAll(state.requests.nextSerial());
  wakeFrontEnds(state);
  state.changed = true;
  return outcome('done', size);
}

/** Also of what is gone. */
function unpin(state: ClientState, fid: Fid): Attempt {
  if (!state.names.volumes.has(volumeOf(fid))) return refused('not-found', `${fid} is unknown`);
  if (state.cache.pins.has(fid)) {
    state.cache.pins.drop(fid);
    state.cache.files.lookAgain();
    state.changed = true;
    return outcome('done');
  }
  const above = pinOf(state, fid);
  return above === null ? outcome('unchanged') : outcome('kept', 0, pinnedBy(state, above));
}

function pinnedBy(state: ClientState, pinned: Fid): string {
  const [place] = viewPlaces(state, pinned);
  return `/${place === undefined ? '' : pathOf(state, place)} is pinned, with all that is in it`;
}

function evict(state: ClientState, fid: Fid): Attempt {
  const pinned = pinOf(state, fid);
  if (pinned === fid) return outcome('kept', 0, 'it is pinned: `godwit unpin` first');
  if (pinned !== null) return outcome('kept', 0, pinnedBy(state, pinned));
  const store = lastStore(state, fid);
  if (isUncommitted(state, fid) || (store !== undefined && store.state !== 'answered')) {
    return outcome('kept', 0, 'it is not on the server yet');
  }
  const names = state.cache.files.namesOf(fid);
  if (names.length === 0) return outcome('unchanged');
  if (names.some((name) => state.cache.files.isHeld(name)))
    return outcome('kept', 0, 'it is in use');
  const before = state.cache.files.bytes;
  for (const name of names) state.cache.files.doom(name);
  state.changed = true;
  return outcome('done', before - state.cache.files.bytes);
}
