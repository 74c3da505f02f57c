/**
 * A new epoch of a server's history (rule I1): where its numbers begin.
 *
 * A restored server does not know how far the lost part of its history went. Its next commit still has to be later than any
 * of those, for everybody who compares commits. So it begins at a number made of the time: no volume has had more than
 * COMMITS_A_SECOND commits a second all its life, and two restores of one backup begin at different numbers.
 */
import { commitNumber, type CommitNumber } from './vnode.ts';
import type { WallTime } from './time.ts';

/** Far more than a disk syncs; times the seconds until the year 2242 it is still an exact number. */
const COMMITS_A_SECOND = 2 ** 20;

/** Uniquifiers left out for blocks that were given in the lost part: two for each device now and then. */
export const LOST_UNIQUIFIERS = 2 ** 16;

/** The commit with which a new epoch begins in a volume whose history ends at `head`. */
export function epochStart(head: CommitNumber, now: WallTime): CommitNumber {
  const byTime = Math.max(Math.floor(now / 1000), 0) * COMMITS_A_SECOND;
  return commitNumber(Math.max(head + 1, byTime));
}
