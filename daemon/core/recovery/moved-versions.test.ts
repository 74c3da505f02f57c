import { expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import { dataVersion, type Digest, type Mtime } from '../../../shared/model/vnode.ts';
import { MovedVersions } from './moved-versions.ts';

const DOC = '1.7.2' as Fid;
const MTIME = '0' as Mtime;
const store = (base: number): Update => ({
  ...{ op: 'store', fid: DOC, base: dataVersion(base), size: 0 },
  ...{ digest: String(base) as Digest, mtime: MTIME },
});
const removal = (base: number): Update => ({
  ...{ op: 'remove', fid: DOC, dir: '1.1.1' as Fid, name: 'doc' },
  ...{ base: dataVersion(base), at: MTIME },
});
const basesOf = (shift: number, updates: readonly Update[]): unknown[] => {
  const versions = new MovedVersions(new Map([[DOC, shift]]));
  return updates.map((update) => {
    const moved = versions.over(update);
    return 'base' in moved ? moved.base : null;
  });
};

it.each([
  ['over an offered version', -3, [5, 6, 7], [2, 3, 4]],
  ['over an earlier version, which has no number any more', -3, [1, 2, 3], [0, 1, 2]],
  ['over nothing', -2, [0, 1], [0, 1]],
  ['over an unknown version', 2, [1, 2], [3, 4]],
])('saves %s keep their sequence of versions', (_, shift, bases, moved) => {
  expect(basesOf(shift, bases.map(store))).toEqual(moved);
});

it('a removal follows the version of the save before it', () => {
  expect(basesOf(-3, [store(1), store(2), removal(3)])).toEqual([0, 1, 2]);
  expect(basesOf(-3, [removal(5)])).toEqual([2]);
});

it('versions of other vnodes keep their numbers', () => {
  const versions = new MovedVersions(new Map([[DOC, -1]]));
  expect(versions.now('1.8.2' as Fid, dataVersion(4))).toBe(4);
});
