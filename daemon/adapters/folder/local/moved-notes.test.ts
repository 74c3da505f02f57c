/** What is told of a file's own attributes goes with the file: it stays so wherever it is named, until it is gone. */
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';

/** One more than a message takes. */
const TOO_MANY = 65;

let host: HookedHost;
let bench: FolderBench;
beforeEach(async () => {
  host = new HookedHost();
  bench = new FolderBench(host);
  await bench.start();
  mkdirSync(bench.path('d', 'deep'), { recursive: true });
  writeFileSync(bench.path('d', 'deep', 'doc'), 'text');
  for (let each = 0; each < TOO_MANY; each++) {
    host.setXattr(bench.path('d', 'deep', 'doc'), `n${each}`, Buffer.from('1'));
  }
  await bench.settled();
  expect(errors()).toEqual(['attributes-left d/deep/doc']);
});
afterEach(() => bench.destroy());

const errors = (): string[] =>
  bench.folder.status().errors.map(({ code, path }) => `${code} ${path ?? ''}`);

it('a directory that a person renames takes along the notes on files in it', async () => {
  renameSync(bench.path('d'), bench.path('e'));
  await bench.settled();
  expect(errors()).toEqual(['attributes-left e/deep/doc']);
  await bench.flush();
  expect(errors()).toEqual(['attributes-left e/deep/doc']);
});

it('a file that is removed and whose directory is renamed at once has no note any more', async () => {
  rmSync(bench.path('d', 'deep', 'doc'));
  renameSync(bench.path('d'), bench.path('e'));
  await bench.settled();
  expect(errors()).toEqual([]);
});

it('a directory that another device renames takes along the notes on files in it', async () => {
  bench.other.rename('d', 'e');
  await bench.settled();
  await bench.shows(bench.volume.tree());
  await bench.flush();
  expect(errors()).toEqual(['attributes-left e/deep/doc']);
});

it('a file that another device renames takes along its note', async () => {
  bench.other.rename('d/deep/doc', 'doc');
  await bench.settled();
  await bench.shows(bench.volume.tree());
  await bench.flush();
  expect(errors()).toEqual(['attributes-left doc']);
});

it('a note at one name of a file is at its other name when the first is removed', async () => {
  linkSync(bench.path('d', 'deep', 'doc'), bench.path('second'));
  await bench.settled();
  rmSync(bench.path('d', 'deep', 'doc'));
  await bench.settled();
  expect(errors()).toEqual(['attributes-left second']);
  rmSync(bench.path('second'));
  await bench.settled();
  expect(errors()).toEqual([]);
});
