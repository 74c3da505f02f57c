/** Something gets a name, loses it and gets it again before the feed has shown the first: what the feed says then is older than what is here. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { linkSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(async () => {
  bench = new FolderBench();
  await bench.start();
  mkdirSync(bench.path('d'));
  writeFileSync(bench.path('d', 'x'), 'x');
  writeFileSync(bench.path('a'), 'a');
  await bench.settled();
});
afterEach(() => bench.destroy());

const at = (path: string): string => bench.path(...path.split('/'));
const link = (from: string, to: string) => (): void => linkSync(at(from), at(to));
const remove = (path: string) => (): void => rmSync(at(path));
const move = (from: string, to: string) => (): void => renameSync(at(from), at(to));

/** A name that is taken away, and put back, shows in the change time of what has it. */
const changed = (path: string): bigint => lstatSync(at(path), { bigint: true }).ctimeNs;

it.each([
  ['a hard link', 'b', [link('a', 'b'), remove('b'), link('a', 'b')]],
  [
    'a hard link, time and again',
    'b',
    [link('a', 'b'), remove('b'), link('a', 'b'), remove('b'), link('a', 'b')],
  ],
  ['the first name', 'a', [link('a', 'b'), remove('a'), link('b', 'a'), remove('b')]],
  ['a file', 'b', [move('a', 'b'), move('b', 'a'), move('a', 'b')]],
  ['a file, in another folder', 'd/b', [move('a', 'd/b'), move('d/b', 'a'), move('a', 'd/b')]],
  ['a folder', 'e', [move('d', 'e'), move('e', 'd'), move('d', 'e')]],
])('a name given again stays: %s', async (_, path, steps) => {
  bench.volume.connected = false;
  for (const step of steps) {
    step();
    await bench.folder.scan();
  }
  const before = changed(path);
  const tree = bench.tree();
  bench.told();
  bench.volume.connected = true;
  await bench.settled();
  expect(bench.tree()).toEqual(tree);
  expect(bench.volume.tree()).toEqual(tree);
  expect(changed(path)).toBe(before);
  expect(bench.told()).toEqual([]);
});
