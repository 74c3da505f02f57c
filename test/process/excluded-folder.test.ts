/** A folder that one of two real laptops does not keep: what is sent before it goes, what others do in it, a kill, and that it comes back. */
import { expect, it } from '@jest/globals';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readControlFile } from '../../shared/control/control-file.ts';
import { endProcess, textOf } from '../support/bench.ts';
import { treeOf, twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;
const FILES = 40;

const inFilms = (folder: string, ...names: string[]): string => join(folder, 'films', ...names);

async function both(): Promise<void> {
  await bench.flush(a, b, a);
}

it('a folder that one laptop excludes stays on the other, which goes on in it, and comes back whole', async () => {
  mkdirSync(inFilms(a.folder));
  for (let i = 0; i < FILES; i++) writeFileSync(inFilms(a.folder, `film ${i}`), `film ${i}`);
  writeFileSync(join(a.folder, 'letter'), 'dear');
  await both();
  appendFileSync(inFilms(a.folder, 'film 0'), ', cut by ann');
  const asked = bench.json(['exclude', '/films', '--data', a.data]);
  for (let i = 1; i < 10; i++) appendFileSync(inFilms(b.folder, `film ${i}`), ', cut by bob');
  renameSync(inFilms(b.folder, 'film 10'), inFilms(b.folder, 'the last'));
  rmSync(inFilms(b.folder, 'film 11'));
  expect(await asked).toMatchObject({ folders: [{ path: '/films' }] });
  await both();
  await bench.until(a.data, ({ excluded }) => excluded?.[0]?.left === 0);
  expect(existsSync(inFilms(a.folder))).toBe(false);
  expect(textOf(inFilms(b.folder, 'film 0'))).toBe('film 0, cut by ann');
  const kept = treeOf(b);

  await endProcess(readControlFile(a.data)?.pid as number, 'SIGKILL');
  await bench.json(['up', '--data', a.data]);
  await both();
  expect(treeOf(b)).toEqual(kept);
  expect(existsSync(inFilms(a.folder))).toBe(false);

  await bench.json(['include', '/films', '--data', a.data]);
  await both();
  expect(bench.differences()).toEqual([]);
  expect(treeOf(b)).toEqual(kept);
  expect(await bench.json(['excluded', '--data', a.data])).toEqual({ folders: [] });
});
