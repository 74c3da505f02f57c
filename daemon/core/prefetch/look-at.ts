/** Goes through a list of files, and begins what is to be had next of it. */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { VersionName } from '../../../shared/ports/file-system.ts';
import { VALIDATE_ALONG } from '../../limits.ts';
import { fetchAhead } from '../cache/demand-fetch.ts';
import { aheadKey, contentsKey } from '../cache/fetches.ts';
import { validateQuietly } from '../sharing/validation.ts';
import type { RequestId } from '../events.ts';
import type { ClientState } from '../state.ts';
import { attributesOf, isUncommitted, lastStore } from '../log/view.ts';

/** `begun`: something is under way now. `waits`: the next file may not be had for now. */
export type Look = 'begun' | 'complete' | 'waits';

/**
 * Walks the files to the first that needs work, and validates it together with the next ones, or fetches it if `may` allows that.
 */
export function lookAt(
  state: ClientState,
  files: readonly Fid[],
  since: RequestId,
  may: (status: VnodeStatus) => boolean,
): Look {
  const isUnknown = (fid: Fid): boolean =>
    isOfServer(state, fid) &&
    !state.isPromised(fid) &&
    !state.sharing.promises.confirmedSince(fid, since);
  for (const [index, fid] of files.entries()) {
    if (isUnknown(fid)) {
      validateQuietly(state, files.slice(index, index + VALIDATE_ALONG).filter(isUnknown));
      return 'begun';
    }
    const status = state.names.attributes.get(fid);
    if (status === undefined || !isOfServer(state, fid) || !isWanting(state, status)) continue;
    if (!may(status)) return 'waits';
    fetchAhead(state, status);
    return 'begun';
  }
  return 'complete';
}

/** It is there, and nothing of ours is over it. */
function isOfServer(state: ClientState, fid: Fid): boolean {
  if (!state.names.volumes.has(volumeOf(fid)) || state.names.volumes.isShut(fid)) return false;
  return !isUncommitted(state, fid) && lastStore(state, fid) === undefined;
}

/** Its contents are not here, and nothing speaks against having them. */
export function isWanting(
  state: ClientState,
  status: VnodeStatus,
): status is VnodeStatus & VersionName {
  const { fid, kind, version, digest, size } = status;
  if (kind !== 'file' || digest === null || size === 0 || state.sharing.behind.has(fid))
    return false;
  if (state.prefetch.failed.get(fid) === version) return false;
  const isComing =
    state.cache.fetches.has(contentsKey(fid)) ||
    state.cache.fetches.has(aheadKey({ fid, version, digest }));
  return !isComing && !attributesOf(state, status).cached;
}
