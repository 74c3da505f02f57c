/** How often something in the way is met before it counts as standing there: a bound on tries and looks. */
import { describe, expect, it } from '@jest/globals';
import { makeFid } from '../../../../shared/model/fid.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import { Unplaced } from './unplaced.ts';

const FID = makeFid(1, 2, 1);
const WHY = { commit: commitNumber(1), path: 'a', reason: 'it was changed here' };

describe('something in the way', () => {
  it('stands there when three tries have met it', () => {
    const unplaced = new Unplaced();
    const met = [1, 2, 3].map(() => unplaced.met(FID, WHY, 'a', true));
    expect(met).toEqual([false, false, true]);
  });

  it('stands there as well where another step of each try fails', () => {
    const unplaced = new Unplaced();
    const met = [1, 2, 3].map(() => {
      unplaced.failed(FID, { ...WHY, reason: 'the disk fails' }, 'sync-blocked');
      return unplaced.met(FID, WHY, 'a', true);
    });
    expect(met).toEqual([false, false, true]);
  });

  it('is counted anew when it is met elsewhere, or when the vnode has been in place', () => {
    const unplaced = new Unplaced();
    for (const at of ['a', 'a', 'b', 'b']) {
      expect([at, unplaced.met(FID, WHY, at, true)]).toEqual([at, false]);
    }
    unplaced.done(FID);
    expect(unplaced.met(FID, WHY, 'b', true)).toBe(false);
  });
});

describe('an update that has something in its way', () => {
  const inodes = new Map([['a', 'same']]);
  const inodeAt = (path: string): string | null => inodes.get(path) ?? null;
  const isRecorded = (path: string): boolean => path === 'a/recorded';
  const standing = (): Unplaced => {
    const unplaced = new Unplaced();
    for (let tries = 0; tries < 3; tries++) unplaced.met(FID, WHY, 'a', true, 'same');
    return unplaced;
  };

  it('is tried after the look that it waited for', () => {
    const unplaced = new Unplaced();
    unplaced.met(FID, WHY, 'a', true, 'same');
    const seen = { inodeAt, isRecorded };
    expect(unplaced.mayHaveGone(['a'], seen)).toBe(true);
    expect(unplaced.mayHaveGone(['b'], seen)).toBe(false);
  });

  it('is not tried while the same stands there: our own tries show too', () => {
    const seen = { inodeAt, isRecorded };
    expect(standing().mayHaveGone(['a'], seen)).toBe(false);
    const failed = standing();
    failed.failed(FID, { ...WHY, reason: 'the disk fails' }, 'sync-blocked');
    expect(failed.mayHaveGone(['a', ''], seen)).toBe(false);
  });

  it('is tried when that was replaced, or something happened in it', () => {
    const unplaced = standing();
    expect(unplaced.mayHaveGone(['a'], { inodeAt: () => null, isRecorded })).toBe(true);
    expect(unplaced.mayHaveGone(['a'], { inodeAt: () => 'other', isRecorded })).toBe(true);
    expect(unplaced.mayHaveGone(['a/in'], { inodeAt, isRecorded })).toBe(true);
  });

  it('is not tried when a synced folder in it shows: another try was let in', () => {
    const seen = { inodeAt, isRecorded };
    expect(standing().mayHaveGone(['a/recorded', 'a'], seen)).toBe(false);
    expect(standing().mayHaveGone(['a/recorded/in'], seen)).toBe(true);
  });
});
