/**
 * Contents that come with the word of them: the server may let those of a small save follow its answer to who follows a volume. A folder asks for
 * them next; until they are here that is as if they were fetched.
 */
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { obtainKey, queued } from './fetches.ts';

/** The status of what follows an answer; undefined: nothing does. */
export function includedBy({ brought, commits }: ReplyOf<'Changes'>): VnodeStatus | undefined {
  if (brought === undefined) return undefined;
  return commits.flatMap(({ vnodes }) => vnodes).findLast(({ fid }) => fid === brought);
}

/** The request goes on as the fetch of what follows. Where that is here or on its way, what comes is discarded. */
export function awaitBrought(
  state: ClientState,
  request: OpenRequest,
  reply: ReplyOf<'Changes'>,
): void {
  const status = includedBy(reply);
  if (status === undefined || status.digest === null) return;
  const { fid, version, digest, size } = status;
  const key = obtainKey(fid, version, digest);
  if (state.cache.fetches.has(key) || state.cache.files.find({ fid, version, digest }) !== null)
    return;
  const fetching = queued(state, key, fid, version, 'caller', digest);
  fetching.isBrought = true;
  fetching.request = request.id;
  fetching.bytes = size;
  state.cache.fetches.begin(fetching);
  state.requests.goOn(request, { for: 'contents', key });
}
