import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import {
  apart,
  nameOf,
  pairOf,
  pairsOf,
  together,
  untried,
  type Pair,
  type Recorded,
} from './pairs.ts';

const RECORDED: Recorded = new Map([
  [
    'server',
    new Map([
      ['sync pack', 3],
      ['mkdir packs-folder', 1],
    ]),
  ],
  ['ann', new Map([['rename config', 2]])],
  ['bob', new Map([['rename config', 1]])],
]);

const all = pairsOf(RECORDED, new SeededRandom('pairs'));
const names = (pairs: readonly Pair[]): string[] => pairs.map(nameOf).sort();

it('the name of a fault can be parsed back into the fault', () => {
  for (const pair of all) expect(pairOf(nameOf(pair))).toEqual(pair);
});

describe('the faults that a log does not mention', () => {
  const told = all.filter((_, index) => index % 3 === 0);
  const log = [
    '1679 faults in 847 stories (seed 1)',
    ...told.map(
      (pair, index) => `${index % 2 === 0 ? 'fine    ' : 'FOUND   '} 104.6 s  ${nameOf(pair)}`,
    ),
    `trying   ${nameOf(all[1] as Pair)}`,
    `not met    14.0 s  ${nameOf(all[2] as Pair)}`,
  ].join('\n');

  it('are exactly the ones that remain to be tried', () => {
    const left = untried(all, log);
    expect(names(left)).toEqual(names(all.filter((pair) => !told.includes(pair))));
  });

  it('are the same when the fault occurred in another program or at a later call', () => {
    const of = (line: string): number => untried(all, `FOUND     13.8 s  ${line}`).length;
    expect(of('bob: rename config: EIO at call 1')).toBe(all.length - 1);
    expect(of('server: sync pack: EIO at call 77 and 2 more')).toBe(all.length - 1);
    expect(of('server: sync pack: EIO at call 1')).toBe(all.length - 1);
    expect(of('bob: sync pack: EIO at call 1')).toBe(all.length);
  });

  it('come with untried labels first', () => {
    const one = all.find(({ label }) => label === 'rename config');
    const left = untried(all, `fine      1.0 s  ${nameOf(one as Pair)}`);
    expect(new Set(left.slice(0, 2).map(({ label }) => label))).toEqual(
      new Set(['sync pack', 'mkdir packs-folder']),
    );
    const kinds = left.map(({ label, kind }) => `${label} ${kind}`);
    const each = new Set(kinds).size;
    // The one that was tried has its turn with those that come again.
    expect(new Set(kinds.slice(0, each - 1)).size).toBe(each - 1);
  });
});

describe('stories', () => {
  it('have one fault in each program, or several of one kind with different labels', () => {
    for (const each of [1, 3]) {
      const stories = together(all, each);
      expect(names(stories.flat())).toEqual(names(all));
      for (const story of stories) {
        for (const name of ['server', 'ann', 'bob']) {
          const own = story.filter(({ program }) => program === name);
          expect(own.length).toBeLessThanOrEqual(each);
          expect(new Set(own.map(({ label }) => label)).size).toBe(own.length);
          const crashes = own.filter(({ kind }) => ['before', 'after', 'torn'].includes(kind));
          expect([0, own.length]).toContain(crashes.length);
        }
      }
    }
  });

  it('are divided by program and then by fault', () => {
    const [story = []] = together(all, 2);
    const groups = apart(story);
    expect(groups.flat().length).toBe(story.length);
    for (const group of groups) {
      expect(new Set(group.map(({ program }) => program)).size).toBe(1);
      expect(apart(group)).toEqual(group.map((pair) => [pair]));
    }
  });
});
