/**
 * Raises a prefetch, or another fetch in a low class, when a call demands what it brings: here, and at the server, whose
 * answer takes the class of the question as it was sent (MFS, section 4.1).
 *
 * A server that does not know of it goes on in the low class: then the fetch is as slow as what is prefetched, and no slower.
 */
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { RAISE_TRIES } from '../../limits.ts';
import { demandedAhead } from './ahead.ts';
import type { ContentsFetch } from './fetch-list.ts';
import type { ClientState } from '../state.ts';
import type { FetchKey } from '../waits/wait-key.ts';

/**
 * Raises a fetch to class FETCH, here and at the server, because a call now waits for it. Contents
 * that a prefetch was bringing count as wanted from then on. A fetch in class FETCH stays as it is.
 */
export function expediteFetch(state: ClientState, fetching: ContentsFetch): void {
  const request = fetching.request === null ? undefined : state.requests.get(fetching.request);
  if (fetching.ahead) demandedAhead(state, fetching.fid, fetching.bytes, request);
  fetching.ahead = false;
  if (fetching.priorityClass === 'FETCH') return;
  fetching.priorityClass = 'FETCH';
  fetching.raises = Math.max(fetching.raises, 1);
  if (request === undefined) return;
  state.requests.expedite(request, 'FETCH');
  ask(state, fetching);
}

/** The question may have overtaken the fetch. */
export function onRaised(state: ClientState, key: FetchKey, { raised }: ReplyOf<'Raise'>): void {
  const fetching = state.cache.fetches.get(key);
  if (raised || fetching === undefined || fetching.request === null) return;
  if (!state.requests.has(fetching.request) || fetching.raises >= RAISE_TRIES) return;
  fetching.raises += 1;
  ask(state, fetching);
}

function ask(state: ClientState, { key, fid, version }: ContentsFetch): void {
  state.send({ rpc: 'Raise', body: { fid, version } }, 'VALIDATE', { for: 'raise', key });
}
