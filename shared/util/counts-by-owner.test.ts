import { describe, expect, test } from '@jest/globals';
import { CountsByOwner } from './counts-by-owner.ts';

describe('a CountsByOwner', () => {
  test('adds up the counts of an owner over its places', () => {
    const counts = new CountsByOwner<string, number>();
    counts.add('ada', 2, 3);
    counts.add('ada', 1, 4);
    counts.add('bob', 1, 5);
    expect([counts.total('ada'), counts.total('bob'), counts.total('eve')]).toEqual([7, 5, 0]);
    expect(counts.placesOf('ada')).toEqual([2, 1]);
    expect(counts.owners()).toEqual(['ada', 'bob']);
  });

  test('forgets places and owners whose count is zero', () => {
    const counts = new CountsByOwner<string, number>();
    counts.add('ada', 1, 2);
    counts.add('ada', 2, 1);
    counts.add('ada', 1, -2);
    expect([counts.total('ada'), counts.placesOf('ada')]).toEqual([1, [2]]);
    counts.add('ada', 2, -1);
    expect([counts.total('ada'), counts.placesOf('ada'), counts.owners()]).toEqual([0, [], []]);
  });

  test('refuses to count below zero', () => {
    const counts = new CountsByOwner<string, number>();
    counts.add('ada', 1, 1);
    expect(() => counts.add('ada', 2, -1)).toThrow('less than nothing');
  });
});
