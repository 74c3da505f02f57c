import { beforeEach, describe, expect, it } from '@jest/globals';
import { instant, wallTime } from '../../../shared/model/time.ts';
import { MANY_REMOVED, REMOVAL_GAP, SOME_REMOVED } from '../../limits.ts';
import { RemovalBurst } from './removal-burst.ts';

const MUCH = 1_000_000;
let burst: RemovalBurst;
let paths = 0;
beforeEach(() => {
  paths = 0;
  burst = new RemovalBurst();
});

const remove = (count: number, at: number, known: number): void => {
  for (let i = 0; i < count; i++) {
    burst.note({ at: instant(at), wall: wallTime(at) }, known, `1/${paths++}`);
  }
};

describe('a burst of removals', () => {
  it('counts when it has many files', () => {
    remove(MANY_REMOVED - 1, 5, MUCH);
    expect(burst.many()).toBe(null);
    remove(1, 6, MUCH);
    expect(burst.many()).toEqual({ files: MANY_REMOVED, since: 5 });
  });

  it('counts for a large part of a small folder and not for a few files', () => {
    remove(SOME_REMOVED - 1, 0, SOME_REMOVED);
    expect(burst.many()).toBe(null);
    remove(1, 0, SOME_REMOVED);
    expect(burst.many()).toEqual({ files: SOME_REMOVED, since: 0 });
  });

  it('counts what is still gone, and is over when all is there again', () => {
    remove(MANY_REMOVED, 0, MUCH);
    expect(burst.back('1/another')).toBe(false);
    expect(burst.back('1/0')).toBe(true);
    expect(burst.back('1/0')).toBe(false);
    expect(burst.many()?.files).toBe(MANY_REMOVED - 1);
    for (let n = 1; n < MANY_REMOVED; n++) burst.back(`1/${n}`);
    expect(burst.many()).toBe(null);
  });

  it('is none where each file is there again before the next goes', () => {
    for (let n = 0; n < 2 * MANY_REMOVED; n++) {
      remove(1, 0, MUCH);
      burst.back(`1/${n}`);
    }
    remove(1, 0, MUCH);
    expect(burst.many()).toBe(null);
  });

  it('is the same after a restart, and without its paths where they are too many', () => {
    remove(MANY_REMOVED, 5, MUCH);
    burst.back('1/0');
    const [whole, short] = [new RemovalBurst(), new RemovalBurst()];
    whole.load(JSON.parse(JSON.stringify(burst.stored(MANY_REMOVED))) as never);
    short.load(JSON.parse(JSON.stringify(burst.stored(1))) as never);
    expect(whole.many()).toEqual({ files: MANY_REMOVED - 1, since: 5 });
    expect(short.many()).toEqual({ files: MANY_REMOVED, since: 5 });
    expect([whole.back('1/1'), short.back('1/1')]).toEqual([true, false]);
    burst = whole;
    remove(1, 6, MUCH);
    expect(burst.many()).toBe(null);
    expect(new RemovalBurst().stored(1)).toBe(null);
  });

  it('ends when nothing is removed for a while', () => {
    remove(MANY_REMOVED, 0, MUCH);
    remove(1, REMOVAL_GAP, MUCH);
    expect(burst.many()?.files).toBe(MANY_REMOVED + 1);
    remove(1, 2 * REMOVAL_GAP + 1, MUCH);
    expect(burst.many()).toBe(null);
  });
});
