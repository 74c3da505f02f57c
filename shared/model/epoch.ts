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

/** The number that distinguishes the ranges of epochs grows by one about every millisecond. */
const COMMITS_A_STEP = 2 ** 10;

/** Uniquifiers left out for blocks that were given in the lost part: two for each device now and then. */
export const LOST_UNIQUIFIERS = 2 ** 16;

/** The commit with which a new epoch begins in a volume whose history ends at `head`. */
export function epochStart(head: CommitNumber, now: WallTime): CommitNumber {
  const byTime = Math.floor((Math.max(now, 0) / 1000) * COMMITS_A_SECOND);
  return commitNumber(Math.max(head + 1, byTime));
}

/**
 * Where the vnode numbers of an epoch's blocks begin, among so many ranges. Two epochs that begin with one backup give the same
 * uniquifiers, and neither knows of the other: with other numbers beside them they are other fids (rule I3).
 */
export function epochRange(firsts: readonly CommitNumber[], ranges: number): number {
  return Math.floor(Math.max(0, ...firsts) / COMMITS_A_STEP) % ranges;
}
