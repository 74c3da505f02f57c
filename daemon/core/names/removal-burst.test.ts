import { beforeEach, describe, expect, it } from '@jest/globals';
import { instant, wallTime } from '../../../shared/model/time.ts';
import { MANY_REMOVED, REMOVAL_GAP, SOME_REMOVED } from '../../limits.ts';
import { RemovalBurst } from './removal-burst.ts';

const MUCH = 1_000_000;
let burst: RemovalBurst;
beforeEach(() => {
  burst = new RemovalBurst();
});

const remove = (count: number, at: number, known: number): void => {
  for (let i = 0; i < count; i++) burst.note({ at: instant(at), wall: wallTime(at) }, known);
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

  it('ends when nothing is removed for a while', () => {
    remove(MANY_REMOVED, 0, MUCH);
    remove(1, REMOVAL_GAP, MUCH);
    expect(burst.many()?.files).toBe(MANY_REMOVED + 1);
    remove(1, 2 * REMOVAL_GAP + 1, MUCH);
    expect(burst.many()).toBe(null);
  });
});
