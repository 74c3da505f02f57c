/** What is kept of locks that were lost. */
import { expect, it } from '@jest/globals';
import { rootOf } from '../../../shared/model/fid.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { LOST_LOCKS_KEPT, LOST_LOCKS_SHOWN } from '../../limits.ts';
import { LockState } from './lock-state.ts';

it('lost locks are shown for a while, and the last ones only', () => {
  const locks = new LockState();
  const about = { path: 'doc', why: 'away', by: null } as const;
  for (let n = 1; n <= LOST_LOCKS_KEPT + 2; n++) {
    locks.lose({ ...about, fid: rootOf(n as never), when: wallTime(n) });
  }
  expect(locks.lost).toHaveLength(LOST_LOCKS_KEPT);
  const last = wallTime(LOST_LOCKS_KEPT + 2);
  expect(locks.lostSince(last)).toEqual(locks.lost);
  const later = wallTime(last + LOST_LOCKS_SHOWN - 1);
  expect(locks.lostSince(later).map(({ when }) => when)).toEqual([last]);
  locks.forgetOld(wallTime(later + 1));
  expect(locks.lost).toEqual([]);
});
