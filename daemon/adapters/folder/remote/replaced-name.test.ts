/** One of two names of a file is given to another file: that is no change of the file itself. */
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { PutInPlace } from './put-in-place.ts';

let bench: FolderBench;
beforeEach(async () => {
  bench = new FolderBench();
  for (const name of ['a', 'b']) await bench.other.write(name, name);
  bench.other.link('b', 'b2');
  await bench.start();
  await bench.settled();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await bench.destroy();
});

it('a file that has lost a name to another gets later contents without being in the way', async () => {
  const runs = jest.spyOn(PutInPlace.prototype, 'run');
  bench.other.rename('a', 'b');
  await bench.other.write('b2', 'second');
  await bench.until(() => readFileSync(bench.path('b2'), 'utf8') === 'second');
  await bench.settled();
  expect(runs.mock.results.filter(({ type }) => type === 'throw')).toEqual([]);
  expect(bench.tree()).toEqual(bench.volume.tree());
});
