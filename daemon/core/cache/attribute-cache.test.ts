import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { Outbox } from '../effects.ts';
import { AttributeCache } from './attribute-cache.ts';

const at = (commit: number): VnodeStatus =>
  ({ fid: '1.2.3' as Fid, commit: commitNumber(commit) }) as VnodeStatus;

describe('a status with a commit of ours in it, whose number it does not carry', () => {
  let cache: AttributeCache;

  beforeEach(() => {
    cache = new AttributeCache(new Outbox());
    cache.set(at(3));
    cache.setOurs(at(3), commitNumber(7));
  });

  it('is not replaced by what was there before that commit', () => {
    expect(cache.isPassedOver(at(5))).toBe(true);
    expect(cache.learn(at(5))).toBe(false);
    expect(cache.isPassedOver(at(7))).toBe(false);
    expect(cache.learn(at(7))).toBe(true);
  });

  it('lacks what was passed over, until an answer tells of both', () => {
    const { fid } = at(3);
    expect(cache.lacksOthers(fid)).toBe(false);
    cache.learn(at(5));
    expect(cache.lacksOthers(fid)).toBe(true);
    cache.setOurs(at(3), commitNumber(8));
    expect(cache.lacksOthers(fid)).toBe(true);
    cache.learn(at(8));
    expect(cache.lacksOthers(fid)).toBe(false);
  });

  it('is replaced by it in a new epoch, in which that commit may never have been', () => {
    cache.beginEpoch(2 as VolumeId);
    expect(cache.isPassedOver(at(5))).toBe(true);
    cache.beginEpoch(1 as VolumeId);
    expect(cache.isPassedOver(at(5))).toBe(false);
    expect(cache.learn(at(5))).toBe(true);
  });
});

describe('a vnode that a commit ended', () => {
  const { fid } = at(3);

  it('does not come back by an answer of before, but by one of after', () => {
    const cache = new AttributeCache(new Outbox());
    cache.set(at(3));
    cache.ended(fid, commitNumber(7));
    expect(cache.isPassedOver(at(5))).toBe(true);
    expect(cache.learn(at(5))).toBe(false);
    expect(cache.get(fid)).toBeUndefined();
    expect(cache.isPassedOver(at(7))).toBe(false);
    expect(cache.learn(at(7))).toBe(true);
  });

  it('comes back by any answer in a new epoch', () => {
    const cache = new AttributeCache(new Outbox());
    cache.ended(fid, commitNumber(7));
    cache.beginEpoch(1 as VolumeId);
    expect(cache.learn(at(5))).toBe(true);
  });
});
