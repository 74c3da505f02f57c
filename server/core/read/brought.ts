/**
 * Contents that go along with the answer to who follows a volume: those of a small save, which the requester would fetch next. It spares a round trip,
 * and a second wait behind bulk that is on its way to the same laptop.
 *
 * What came as a delta, or could be sent as one, is left to a Fetch: the requester may have the version that the delta is against.
 */
import { EMPTY_DIGEST, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { MOST_BROUGHT, TOLD_FROM } from '../../limits.ts';
import type { KnownContent } from '../events.ts';
import { contentOf } from '../known-content.ts';
import type { ReadJob } from '../wait/read-job.ts';
import type { CameWhole } from './came-whole.ts';

/** A content that goes along, and whose it is. */
export interface IncludedContent {
  readonly status: VnodeStatus;
  readonly content: KnownContent;
}

/** Of what others have stored in these commits the last that may go along; null: nothing does. */
export function includedWith(
  whole: CameWhole,
  { device }: ReadJob,
  { brings = 0 }: RequestOf<'Changes'>,
  commits: readonly ChangeSet[],
): IncludedContent | null {
  const most = Math.min(brings, MOST_BROUGHT);
  for (const set of commits.toReversed()) {
    if (set.device === device.id) continue;
    const status = set.vnodes.find((each) => isBrought(whole, each, most));
    if (status === undefined || status !== lastOf(commits, status)) continue;
    const content = contentOf(status);
    if (content !== null) return { status, content };
  }
  return null;
}

function isBrought(
  whole: CameWhole,
  { kind, digest, size, links }: VnodeStatus,
  most: number,
): boolean {
  if (kind !== 'file' || links === 0 || digest === null || digest === EMPTY_DIGEST) return false;
  return size <= most && (size < TOLD_FROM || whole.has(digest));
}

function lastOf(commits: readonly ChangeSet[], { fid }: VnodeStatus): VnodeStatus | undefined {
  return commits.flatMap(({ vnodes }) => vnodes).findLast((each) => each.fid === fid);
}
