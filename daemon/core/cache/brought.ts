/**
 * Contents that come with the word of them: the server may let those of a small save follow its answer to who follows a volume. A folder asks for
 * them next; until they are here that is as if they were fetched.
 */
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { BRINGS_FROM, type ReplyOf } from '../../../shared/wire/rpcs.ts';
import { SMALL_SAVE } from '../../limits.ts';
import { bulkDecision } from '../network/tend-bulk.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { obtainKey, queued } from './fetches.ts';

/** What a question for changes says of it: only where a folder takes all that there is, and a fetch could begin at once. */
export function bringsTo(state: ClientState): { brings?: number } {
  const { config, cacheSettings, paused, meta } = state;
  if (config.frontEnd !== 'folder' || cacheSettings.isBounded || paused) return {};
  if (Number(meta.get('protocol') ?? 0) < BRINGS_FROM) return {};
  return bulkDecision(state).kind === 'free' ? { brings: SMALL_SAVE } : {};
}

/** The status of what follows an answer; undefined: nothing does. */
export function broughtBy({ brought, commits }: ReplyOf<'Changes'>): VnodeStatus | undefined {
  if (brought === undefined) return undefined;
  return commits.flatMap(({ vnodes }) => vnodes).findLast(({ fid }) => fid === brought);
}

/** The request goes on as the fetch of what follows. Where that is here or on its way, what comes is discarded. */
export function awaitBrought(
  state: ClientState,
  request: OpenRequest,
  reply: ReplyOf<'Changes'>,
): void {
  const status = broughtBy(reply);
  if (status === undefined || status.digest === null) return;
  const { fid, version, digest, size } = status;
  const key = obtainKey(fid, version, digest);
  if (state.fetches.has(key) || state.files.find({ fid, version, digest }) !== null) return;
  const fetching = queued(state, key, fid, version, 'caller', digest);
  fetching.state = 'running';
  fetching.isBrought = true;
  fetching.request = request.id;
  fetching.bytes = size;
  state.fetchesRunning += 1;
  state.requests.set(request.id, { ...request, purpose: { for: 'contents', key }, charged: 0 });
}
