import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber, dataVersion } from '../../../shared/model/vnode.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import { Outbox } from '../effects.ts';
import { AttributeCache } from './attribute-cache.ts';

const at = (commit: number, version = 1): VnodeStatus =>
  ({
    fid: '1.2.3' as Fid,
    commit: commitNumber(commit),
    version: dataVersion(version),
    links: 1,
  }) as VnodeStatus;

const { fid } = at(3);
let out: Outbox;
let cache: AttributeCache;

beforeEach(() => {
  out = new Outbox();
  cache = new AttributeCache(out);
});

/** The cache as it is after a restart. */
function restarted(): AttributeCache {
  const rows = new Map<string, VnodeStatus>();
  for (const { table, key, value } of out.takeRows()) {
    if (table === 'status' && value !== undefined) rows.set(key, value);
  }
  const anew = new AttributeCache(new Outbox());
  anew.load(rows);
  return anew;
}

describe('a status that includes an own commit with an unknown number', () => {
  beforeEach(() => {
    cache.set(at(3, 1));
    cache.setOurs(at(3, 2));
  });

  it.each<[string, () => AttributeCache]>([
    ['', () => cache],
    [', also after a restart', () => restarted()],
  ])('is not replaced by an older status%s', (_when, made) => {
    const known = made();
    expect(known.isPassedOver(at(5, 1))).toBe(true);
    expect(known.learn(at(5, 1))).toBe(false);
    expect(known.lacksOthers(fid)).toBe(true);
    expect(known.isPassedOver(at(7, 2))).toBe(false);
    expect(known.learn(at(7, 2))).toBe(true);
    expect(known.lacksOthers(fid)).toBe(false);
  });

  it('lacks the passed-over commits of others until an answer has both', () => {
    expect(cache.lacksOthers(fid)).toBe(false);
    cache.learn(at(5, 1));
    expect(cache.lacksOthers(fid)).toBe(true);
    cache.setOurs(at(3, 3));
    expect(cache.lacksOthers(fid)).toBe(true);
    cache.learn(at(8, 3));
    expect(cache.lacksOthers(fid)).toBe(false);
  });

  it('is replaced by any status in a new epoch, in which that commit may be missing', () => {
    cache.forget(fid);
    cache.beginEpoch(1 as VolumeId);
    expect(cache.isPassedOver(at(5, 1))).toBe(false);
    expect(cache.learn(at(5, 1))).toBe(true);
  });
});

describe('a vnode that a commit ended', () => {
  it('returns with a later answer and not with an earlier one', () => {
    cache.set(at(3));
    cache.ended(fid, commitNumber(7));
    expect(cache.isPassedOver(at(5))).toBe(true);
    expect(cache.learn(at(5))).toBe(false);
    expect(cache.get(fid)).toBeUndefined();
    expect(cache.isPassedOver(at(7))).toBe(false);
    expect(cache.learn(at(7))).toBe(true);
  });

  it('returns with any answer in a new epoch', () => {
    cache.ended(fid, commitNumber(7));
    cache.beginEpoch(2 as VolumeId);
    expect(cache.learn(at(5))).toBe(false);
    cache.beginEpoch(1 as VolumeId);
    expect(cache.learn(at(5))).toBe(true);
  });
});

describe('a vnode that the server reported as gone', () => {
  beforeEach(() => {
    cache.set(at(5, 1));
    cache.setOurs(at(5, 2));
    cache.forget(fid);
  });

  describe.each<[string, () => AttributeCache]>([
    ['', () => cache],
    [' after a restart', () => restarted()],
  ])('a vanished vnode in the cache%s', (_when, made) => {
    it.each([
      ['an older commit', at(4, 2)],
      ['an older version', at(6, 1)],
    ])('does not return with %s', (_what, older) => {
      const known = made();
      expect([...known.all()]).toEqual([]);
      expect(known.isPassedOver(older)).toBe(true);
      expect(known.learn(older)).toBe(false);
      expect(known.get(fid)).toBeUndefined();
    });

    it('does not return when the commit that ended it is known', () => {
      const known = made();
      known.ended(fid, commitNumber(5));
      expect(known.learn(at(6, 1))).toBe(false);
    });

    it('returns unchanged, since it may only have been hidden for a while', () => {
      expect(made().learn(at(5, 2))).toBe(true);
    });
  });

  it('belongs to the commit that ended it, also after a restart', () => {
    cache.ended(fid, commitNumber(7));
    expect(restarted().learn(at(6, 2))).toBe(false);
  });

  it('returns with any commit in a new epoch', () => {
    cache.beginEpoch(1 as VolumeId);
    expect(restarted().learn(at(4, 1))).toBe(true);
    expect(cache.learn(at(4, 1))).toBe(true);
  });
});
