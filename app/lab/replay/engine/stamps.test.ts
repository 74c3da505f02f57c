import { describe, expect, it } from '@jest/globals';
import { mtimeFromMs } from '../../../../shared/model/vnode.ts';
import { Freshness, isStale, mtimeOfStamp, stampOf } from './stamps.ts';

describe('a replayed write', () => {
  it('is identified by the modification time that it sets', () => {
    expect([0, 1, 999_999].map((stamp) => stampOf(mtimeOfStamp(stamp)))).toEqual([0, 1, 999_999]);
    expect(stampOf(mtimeFromMs(5))).toBeNull();
  });

  it('must be visible to other laptops from its close on, under any name', () => {
    const fresh = new Freshness();
    const wanted = (path: string): number | null => fresh.expected(path, 'bob')?.stamp ?? null;
    fresh.closing(7, 'ann');
    fresh.closed('/f', 7);
    expect(fresh.expected('/f', 'ann')).toBeNull();
    expect(isStale(mtimeOfStamp(6), wanted('/f'))).toBe(true);
    expect(isStale(mtimeOfStamp(7), wanted('/f'))).toBe(false);
    fresh.renamed('/f', '/g');
    expect([wanted('/f'), wanted('/g')]).toEqual([null, 7]);
    fresh.removed('/g');
    expect(isStale(mtimeOfStamp(0), wanted('/g'))).toBe(false);
  });

  it('makes earlier closes of its writer visible once it was seen', () => {
    const fresh = new Freshness();
    const write = (path: string, stamp: number): void => {
      fresh.closing(stamp, 'ann');
      fresh.closed(path, stamp);
    };
    write('/f', 1);
    write('/f', 2);
    fresh.closing(4, 'ann');
    fresh.closing(3, 'ann');
    fresh.closed('/late', 3);
    fresh.closed('/g', 4);
    write('/f', 5);
    expect(fresh.inOrder('/f', 'bob')).toBeNull();
    fresh.saw(mtimeOfStamp(4), 'bob');
    expect(['/f', '/late', '/g'].map((path) => fresh.inOrder(path, 'bob'))).toEqual([
      2,
      null,
      null,
    ]);
    expect(isStale(mtimeOfStamp(1), fresh.inOrder('/f', 'bob'))).toBe(true);
    expect(fresh.inOrder('/f', 'eve')).toBeNull();
    fresh.saw(mtimeOfStamp(5), 'bob');
    fresh.saw(mtimeOfStamp(1), 'bob');
    expect(['/late', '/g'].map((path) => fresh.inOrder(path, 'bob'))).toEqual([3, 4]);
  });
});
