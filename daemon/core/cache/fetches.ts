/** The fetches that are under way or wait for it: how they are named, begun and found. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest, VnodeStatus } from '../../../shared/model/vnode.ts';
import type { VersionName } from '../../../shared/ports/file-system.ts';
import type { ReceivedContent } from '../../../shared/ports/transport.ts';
import type { ContentsFetch } from './fetch-list.ts';
import type { ClientState } from '../state.ts';
import type { FetchKey } from '../waits/wait-key.ts';

export const contentsKey = (fid: Fid): FetchKey => ({ kind: 'contents', fid });
/** A server that was put back gives its numbers again, to other contents. */
export const obtainKey = (fid: Fid, version: DataVersion, digest: Digest): FetchKey => ({
  kind: 'obtain',
  fid,
  version,
  digest,
});

/** Names the fetch of one version of a file into the cache. */
export const versionKey = ({ fid, version, digest }: VersionName): FetchKey => ({
  kind: 'version',
  fid,
  version,
  digest,
});
/** Names a prefetch. */
export const aheadKey = versionKey;

/**
 * Adds a fetch in class FETCH to the list. The end of a step sends its request, as far as places
 * are free. `version` null: the present version. `digest` null: no certain contents are wanted.
 * `unless`: the version that the server need not send; null: none.
 */
export function queued(
  state: ClientState,
  key: FetchKey,
  fid: Fid,
  version: DataVersion | null,
  into: ContentsFetch['into'],
  digest: Digest | null = null,
  unless: DataVersion | null = null,
): ContentsFetch {
  const begun = { state: 'queued', bytes: 0, request: null, raises: 0 } as const;
  const about = { key, fid, version, into, digest, unless };
  const how = { ahead: false, isBrought: false, priorityClass: 'FETCH' } as const;
  const fetching: ContentsFetch = { ...about, ...begun, ...how };
  state.cache.fetches.add(fetching);
  return fetching;
}

/**
 * Finds the fetch that brings this version into the cache: one of the present contents, or of the
 * version. Undefined: there is none.
 */
export const intoCache = (
  { cache: { fetches } }: ClientState,
  { fid, version, digest }: Pick<VnodeStatus, 'fid' | 'version' | 'digest'>,
): ContentsFetch | undefined =>
  fetches.get(contentsKey(fid)) ??
  (digest === null ? undefined : fetches.get(versionKey({ fid, version, digest })));

/** What a folder brings in, once it is on its way: until then it may wait for much. */
export function broughtIn(
  { cache: { fetches } }: ClientState,
  { fid, version, digest }: Pick<VnodeStatus, 'fid' | 'version' | 'digest'>,
): ContentsFetch | undefined {
  const fetching = digest === null ? undefined : fetches.get(obtainKey(fid, version, digest));
  return fetching?.state === 'running' ? fetching : undefined;
}

/** Removes the spooled file of contents that nobody needs; null: there is none. */
export function discard(state: ClientState, content: ReceivedContent | null): void {
  if (content === null) return;
  state.out.emit({ kind: 'file', task: 0, work: { what: 'discard', spool: content.path } });
}
