/**
 * Of a file with several names all are looked at with the first that is found. The folder that has another one may stand elsewhere by then, and another
 * folder in its place.
 */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { milliseconds } from '../../../../shared/model/time.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(async () => {
  bench = new FolderBench();
  // Nothing is looked at before all of it has happened.
  bench.limits = { ...bench.limits, settle: milliseconds(300), rest: milliseconds(300) };
  await bench.start();
  for (const top of ['a', 'b']) {
    mkdirSync(bench.path(top, 'in'), { recursive: true });
    writeFileSync(bench.path(top, 'in', 'doc'), top);
    linkSync(bench.path(top, 'in', 'doc'), bench.path(top, 'in', 'linked'));
  }
  await bench.settled();
  bench.told();
});
afterEach(() => bench.destroy());

const fidsOf = (...paths: string[]): string[] => paths.map((path) => bench.volume.status(path).fid);

/** The watcher alone leads to that; a look at everything then has nothing to tell. */
async function settlesAs(...told: string[]): Promise<void> {
  const isName = (line: string): boolean => !line.startsWith('setattr');
  await bench.volume.until(() => bench.volume.told.filter(isName).length >= told.length);
  await bench.until(() => bench.folder.unsettled().paths === 0);
  expect(bench.told().filter(isName)).toEqual(told);
  await bench.settled();
  expect(bench.told().filter(isName)).toEqual([]);
  expect(bench.volume.tree()).toEqual(bench.tree());
}

it('two folders with files of two names that change places stay who they were', async () => {
  const [one, other] = fidsOf('a/in', 'b/in');
  renameSync(bench.path('a'), bench.path('t'));
  renameSync(bench.path('b'), bench.path('a'));
  renameSync(bench.path('t'), bench.path('b'));
  await settlesAs('rename b -> .godwit-swap-4', 'rename a -> b', 'rename .godwit-swap-4 -> a');
  expect(fidsOf('a/in', 'b/in')).toEqual([other, one]);
});

it('a folder with files of two names that takes the place of one that moved on stays who it was', async () => {
  const before = fidsOf('a/in', 'b/in');
  renameSync(bench.path('a'), bench.path('c'));
  renameSync(bench.path('b'), bench.path('a'));
  await settlesAs('rename a -> c', 'rename b -> a');
  expect(fidsOf('c/in', 'a/in')).toEqual(before);
});

it('a name in another folder, of a file with several, is known where that folder is now', async () => {
  linkSync(bench.path('a', 'in', 'doc'), bench.path('b', 'in', 'far'));
  await bench.settled();
  bench.told();
  renameSync(bench.path('b', 'in'), bench.path('b', 'moved'));
  renameSync(bench.path('a', 'in'), bench.path('b', 'in'));
  await settlesAs('rename b/in -> b/moved', 'rename a/in -> b/in');
  expect(new Set(fidsOf('b/in/doc', 'b/in/linked', 'b/moved/far')).size).toBe(1);
});
