import { describe, expect, it } from '@jest/globals';
import { mtimeFromMs } from '../../../shared/model/vnode.ts';
import { Freshness, isStale, mtimeOfStamp, stampOf } from './stamps.ts';

describe('a write', () => {
  it('is known by the time of modification that it gives', () => {
    expect([0, 1, 999_999].map((stamp) => stampOf(mtimeOfStamp(stamp)))).toEqual([0, 1, 999_999]);
    expect(stampOf(mtimeFromMs(5))).toBeNull();
  });

  it('has to be seen by other laptops from its close on, under whatever name', () => {
    const fresh = new Freshness();
    fresh.closed('/f', 7, 'ann');
    expect(fresh.expected('/f', 'ann')).toBeNull();
    expect(isStale(mtimeOfStamp(6), fresh.expected('/f', 'bob'))).toBe(true);
    expect(isStale(mtimeOfStamp(7), fresh.expected('/f', 'bob'))).toBe(false);
    fresh.renamed('/f', '/g');
    expect(fresh.expected('/f', 'bob')).toBeNull();
    expect(fresh.expected('/g', 'bob')).toBe(7);
    fresh.removed('/g');
    expect(isStale(mtimeOfStamp(0), fresh.expected('/g', 'bob'))).toBe(false);
  });
});
