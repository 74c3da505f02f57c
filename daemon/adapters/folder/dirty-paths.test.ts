import { expect, it } from '@jest/globals';
import { instant, milliseconds, wallTime } from '../../../shared/model/time.ts';
import { mtimeFromMs } from '../../../shared/model/vnode.ts';
import { DirtyPaths } from './dirty-paths.ts';
import type { DiskFacts } from './disk-facts.ts';

const LIMITS = {
  settle: milliseconds(300),
  rest: milliseconds(15),
  restPause: milliseconds(500),
  restPaths: 2,
};
const facts = (ctimeMs: number): DiskFacts => ({
  ...{ kind: 'file', inode: '1', size: 1, mode: 0o644, links: 1, target: null },
  ...{ mtime: mtimeFromMs(ctimeMs), ctime: mtimeFromMs(ctimeMs) },
});

it('a known file is looked at soon, once in a while', () => {
  const paths = new DirtyPaths(LIMITS);
  const delays = [0, 10, 20, 400, 500, 505].map((at) => paths.delayOf('a', instant(at)));
  expect(delays).toEqual([15, 15, 300, 300, 15, 15]);
  expect(paths.delayOf('b', instant(510))).toBe(15);
});

it('not so where many paths change', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true });
  paths.hint('b', instant(0), { live: true });
  expect(paths.delayOf('c', instant(0))).toBe(300);
});

it.each([
  ['somebody writes it still', true, false, false],
  ['nobody does', true, true, true],
  ['it was not to be looked at soon', false, true, false],
])('it has settled where nobody writes it: %s', (_, soon, rests, settled) => {
  const paths = new DirtyPaths(LIMITS);
  const [now, wall] = [instant(15), wallTime(1015)];
  if (soon) paths.delayOf('a', instant(0));
  paths.hint('a', instant(0), { live: true });
  expect(paths.isStable('a', facts(1000), { now, wall, rests: () => rests })).toBe(settled);
  // What rests long enough has settled in any case.
  const late = { now: instant(400), wall: wallTime(1400), rests: () => false };
  expect(paths.isStable('a', facts(1000), late)).toBe(true);
});
