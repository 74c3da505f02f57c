/** The folder in a world that it is given: nothing of it reaches past that to this machine. */
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { shiftedDisk } from '../../../test/support/shifted-disk.ts';
import { systemDisk } from './disk/system-disk.ts';
import { openRecords } from './records/record-store.ts';

const SHOWN = '/nowhere on this machine';

let bench: FolderBench;
let drawn: string[];
let turns: number;

beforeEach(async () => {
  bench = new FolderBench();
  drawn = [];
  turns = 0;
  const real = realpathSync(bench.dir);
  bench.world = {
    disk: shiftedDisk(systemDisk(bench.host), SHOWN, real),
    root: join(SHOWN, 'home'),
    dataDir: join(SHOWN, 'data'),
    mounts: { read: () => [{ path: '/', type: 'ext4' }] },
    openRecords: (root) => openRecords(bench.dataDir, root),
    random: {
      hex: (count) => {
        drawn.push(String(drawn.length).padStart(count * 2, '0'));
        return drawn.at(-1) ?? '';
      },
    },
    letOthersRun: () => {
      turns += 1;
      return Promise.resolve();
    },
  };
  await bench.start();
});
afterEach(() => bench.destroy());

it('a folder on another disk uploads, shows, renames and removes as on that of this machine', async () => {
  mkdirSync(bench.path('d'));
  writeFileSync(bench.path('d', 'mine'), 'mine');
  symlinkSync('d/mine', bench.path('link'));
  await bench.other.write('theirs', 'one');
  await bench.settled();
  expect(bench.volume.tree()).toMatchObject({ 'd/mine': 'mine', link: '-> d/mine' });
  await bench.other.write('theirs', 'two');
  await bench.other.write('d/mine', 'changed');
  bench.other.rename('d', 'moved');
  await bench.settled();
  renameSync(bench.path('theirs'), bench.path('moved', 'theirs'));
  bench.other.remove('link');
  await bench.settled();
  expect(bench.tree()).toEqual(bench.volume.tree());
  expect(bench.tree()).toEqual({
    ...{ 'moved/': '', 'moved/mine': 'changed', 'moved/theirs': 'two' },
  });
  expect(bench.folder.status().errors).toEqual([]);
});

it('a folder on another disk is known again at the next start, by what it was given', async () => {
  expect(bench.folder.token).toBe(drawn[0]);
  await bench.other.write('theirs', 'one');
  await bench.settled();
  writeFileSync(bench.path('mine'), 'mine');
  await bench.volume.until(() => bench.volume.tree()['mine'] === 'mine');
  expect(turns).toBeGreaterThan(0);
  await bench.settled();
  await bench.close();
  bench.told();
  await bench.open();
  await bench.settled();
  expect(bench.folder.token).toBe(drawn[0]);
  expect(bench.told()).toEqual([]);
  const { fid } = bench.volume.status('theirs');
  const copy = await bench.folder.anyCopyOf(fid);
  expect(copy?.path).toContain(`${SHOWN}/data/folder-copies/`);
  expect(copy?.path.slice(-24)).toBe(drawn.at(-1));
});
