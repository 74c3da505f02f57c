/** How a prefetch ends: it has come, it can not come, or a call demands what it brings. */
import type { Fid } from '../../../shared/model/fid.ts';
import { elapsed } from '../../../shared/model/time.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import type { OpenRequest } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';

/** A prefetch has brought a file. */
export function cameAhead(state: ClientState, fid: Fid, name: string, bytes: number): void {
  const { prefetch } = state;
  const { group, streak } = prefetch;
  endAhead(state);
  if (streak !== null) state.cache.files.cameAhead(name, streak.use);
  if (group === null || group.fid === fid) return;
  prefetch.list.brought(group, fid, bytes);
  state.cache.files.cameAhead(name, group.use);
}

/** It could not, or will not: this version of the file is left alone. */
export function failedAhead(state: ClientState, fid: Fid, version: DataVersion | null): void {
  const { prefetch } = state;
  if (version !== null) prefetch.failed.set(fid, version);
  stoppedAhead(state, fid);
}

/** Its connection ended, or its network does not let it go on. */
export function stoppedAhead(state: ClientState, fid: Fid): void {
  state.prefetch.streak?.ahead.delete(fid);
  endAhead(state);
}

function endAhead({ prefetch }: ClientState): void {
  prefetch.fetching = null;
  prefetch.group = null;
  prefetch.streak = null;
  prefetch.look = true;
}

/** A call demands what is being prefetched: a hit. The bytes that have come decide whether it came in time. */
export function demandedAhead(
  state: ClientState,
  fid: Fid,
  bytes: number,
  request: OpenRequest | undefined,
): void {
  const { list, group } = state.prefetch;
  endAhead(state);
  if (group === null) return;
  list.brought(group, fid, bytes);
  const { late } = group;
  list.wanted(fid);
  if (request !== undefined && !hasGained(state, request)) group.late = late + 1;
}

/** Half a round trip is when the first byte could leave the server: less than that is nothing won. */
function hasGained(
  { session: { link }, now }: ClientState,
  { sentAt, receivedBytes }: OpenRequest,
): boolean {
  return receivedBytes > 0 || elapsed(sentAt, now.at) * 2 >= (link.rttMs ?? Infinity);
}
