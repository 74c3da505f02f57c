/** A conflict's change of the folder that the disk does not allow just now is made later, and is no error of ours. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';

let host: HookedHost;
let bench: FolderBench;

/** Both made `d/new`, so ours is to get the name of a conflict. */
beforeEach(async () => {
  host = new HookedHost();
  bench = new FolderBench(host);
  bench.other.mkdir('d');
  await bench.start();
  bench.volume.connected = false;
  writeFileSync(bench.path('d', 'new'), 'mine');
  await bench.folder.scan();
  await bench.other.write('d/new', 'theirs');
});
afterEach(() => bench.destroy());

function errors(): string[] {
  return bench.folder.status().errors.map(({ code, path }) => `${code} ${path}`);
}

async function isWhole(dir: string): Promise<void> {
  await bench.settled();
  expect(bench.tree()).toEqual(bench.volume.tree());
  expect(readdirSync(bench.path(dir))).toHaveLength(2);
  expect(errors()).toEqual([]);
  expect(bench.lines.filter((line) => line.startsWith('error'))).toEqual([]);
}

it('a conflict waits for a look where its directory goes elsewhere in that moment', async () => {
  let isGone = false;
  host.at('placing', () => {
    renameSync(bench.path('d'), bench.path('e'));
    isGone = true;
  });
  bench.volume.connected = true;
  await bench.until(() => isGone);
  await isWhole('e');
});

it.each(['EACCES', 'EIO', 'EROFS'])(
  'a conflict has its path in the status, and is shown later, after %s',
  async (code) => {
    host.refuse('placing', 'new (conflict)', code);
    bench.volume.connected = true;
    await bench.until(() => errors().length > 0);
    expect(errors()).toEqual(['sync-blocked d/new']);
    host.refuse('placing', null);
    await isWhole('d');
  },
);

it('a conflict is shown when the disk has room again', async () => {
  host.refuse('placing', 'new (conflict)', 'ENOSPC');
  bench.volume.connected = true;
  await bench.until(() => errors().length > 0);
  expect(errors()).toEqual(['disk-full null']);
  host.refuse('placing', null);
  await isWhole('d');
});
