/** What a step costs must not grow with what is there beside it (docs/internals/folder.md has the table): counted in look-ups, not in time. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { instant, milliseconds, seconds } from '../../../shared/model/time.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { mtimeFromMs } from '../../../shared/model/vnode.ts';
import type { DiskFacts } from './disk/disk-facts.ts';
import { apart } from './remote/apart.ts';
import { DirtyPaths } from './watch/dirty-paths.ts';
import { FOLDER_LIMITS } from './folder-limits.ts';
import { FolderRecords } from './records/folder-records.ts';
import type { DiskAction } from './remote/plan-remote.ts';

const VOLUME = 1 as VolumeId;
const ROOT = rootOf(VOLUME);
const SIZES = [10, 1_000] as const;
const NOTHING_LATER = { pendingEntry: () => false, isOutdated: () => false };

afterEach(() => void jest.restoreAllMocks());

/** How often a map or a set is asked or walked meanwhile. */
function steps(work: () => unknown): number {
  const spies = [
    ...(['get', 'has'] as const).map((method) => jest.spyOn(Map.prototype, method)),
    jest.spyOn(Set.prototype, 'has'),
  ];
  work();
  const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  return count;
}

const fidOf = (number: number): Fid => makeFid(VOLUME, number + 2, 1);

function freed(count: number): FolderRecords {
  const records = new FolderRecords(ROOT);
  for (let each = 0; each < count; each++) {
    records.free({ dir: ROOT, name: `f${each}` }, fidOf(each), false);
  }
  return records;
}

it('the search for names freed from a vnode does not slow down with other freed names', () => {
  const counts = SIZES.map((size) => {
    const records = freed(size);
    return steps(() => expect(records.freedBy(fidOf(3))).toEqual([{ dir: ROOT, name: 'f3' }]));
  });
  expect(counts[0]).toBe(counts[1]);
});

it('the check for freed names does not slow down with their number', () => {
  const walked = jest.spyOn(Map.prototype, 'values');
  expect(freed(1_000).hasMarks).toBe(true);
  expect(freed(0).hasMarks).toBe(false);
  expect(walked).not.toHaveBeenCalled();
});

it('freed names are no longer found after they were shown, forgotten or only ours', () => {
  const records = freed(4);
  const place = (each: number) => ({ dir: ROOT, name: `f${each}` });
  records.free(place(4), fidOf(4), true);
  records.free(place(5), fidOf(3), false);
  expect(records.freedBy(fidOf(4))).toEqual([]);
  expect(records.freedBy(fidOf(3))).toEqual([place(3), place(5)]);
  records.forgetFreed(place(3));
  expect(records.freedBy(fidOf(3))).toEqual([place(5)]);
  const status = { fid: fidOf(3) } as never;
  records.shown({ vnodes: [status], entries: [{ ...place(5), fid: null }] }, NOTHING_LATER);
  expect(records.freedBy(fidOf(3))).toEqual([]);
  records.clearMarks();
  expect([0, 1, 2].flatMap((each) => records.freedBy(fidOf(each)))).toEqual([]);
  expect(records.hasMarks).toBe(false);
});

const facts = (inode: string): DiskFacts => ({
  ...{ kind: 'file', inode, size: 1, mode: 0o644, links: 1, target: null },
  ...{ mtime: mtimeFromMs(0), ctime: mtimeFromMs(0) },
});

it('passes over waiting paths look up each path on the disk once', () => {
  const paths = new DirtyPaths({ ...FOLDER_LIMITS, settle: milliseconds(300) });
  const looked: string[] = [];
  const factsAt = (path: string): DiskFacts | null => {
    looked.push(path);
    return path.endsWith('7') ? facts(path) : null;
  };
  for (let each = 0; each < 1_000; each++) paths.hint(`d/f${each}`, instant(0), { live: true });
  for (let pass = 0; pass < 10; pass++) {
    const now = instant(seconds(1));
    const asked = new Set(paths.due(now, 100));
    expect(paths.standsElsewhere('gone', asked, factsAt)).toBe(false);
    expect(paths.standsElsewhere('d/f997', asked, factsAt)).toBe(!asked.has('d/f997'));
    const mark = paths.mark();
    for (const path of asked) paths.done(path, mark);
  }
  expect(looked).toHaveLength(1_000);
  expect(paths.standsElsewhere('d/f997', new Set(), factsAt)).toBe(false);
});

it('a path with a new event is looked up again', () => {
  const paths = new DirtyPaths(FOLDER_LIMITS);
  let there: DiskFacts | null = null;
  const stands = (inode: string): boolean => paths.standsElsewhere(inode, new Set(), () => there);
  paths.hint('a', instant(0), { live: true });
  expect(stands('1')).toBe(false);
  there = facts('1');
  expect(stands('1')).toBe(false);
  paths.hint('a', instant(1), { live: true });
  expect(stands('1')).toBe(true);
  there = facts('2');
  paths.hint('a', instant(2), { live: true });
  expect([stands('1'), stands('2')]).toEqual([false, true]);
});

it('the number of waiting paths in a folder is counted as they come and go', () => {
  const paths = new DirtyPaths(FOLDER_LIMITS);
  const all = ['', 'a', 'd', 'd/a', 'd/b', 'd/e/a', 'd/a'];
  for (const path of all) paths.hint(path, instant(0), { live: true });
  const counts = (): number[] => ['', 'd', 'd/e', 'x'].map((each) => paths.countIn(each));
  expect(counts()).toEqual([2, 2, 1, 0]);
  for (const path of ['', 'd/a', 'd/e/a', 'd/a']) paths.done(path, paths.mark());
  expect(counts()).toEqual([2, 1, 0, 0]);
});

it('actions of a plan that may precede the waiting ones are found in one walk', () => {
  const counts = SIZES.map((size) => {
    const actions: DiskAction[] = [];
    const missing = new Set<Fid>();
    for (let each = 0; each < size; each++) {
      const [gone, made] = [fidOf(2 * each), fidOf(2 * each + 1)];
      const place = { dir: ROOT, name: `f${each}` };
      actions.push({ do: 'remove', fid: gone, place });
      actions.push({ do: 'make', status: { fid: made } as never, place });
      if (each % 2 === 0) missing.add(made);
    }
    return steps(() => expect(apart(actions, missing)).toHaveLength(size)) / size;
  });
  expect(counts[1]).toBeLessThanOrEqual(2 * (counts[0] ?? 0));
});
