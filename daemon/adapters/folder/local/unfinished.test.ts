/** A file whose making was committed, and whose contents nobody is going to store: its daemon was killed in between. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import type { Fid } from '../../../../shared/model/fid.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
beforeEach(() => {
  bench = new FolderBench();
});
afterEach(() => bench.destroy());

async function make(path: string): Promise<Fid> {
  const { dir, name } = bench.volume.place(path);
  const { fid } = await bench.volume.create(dir, name, { mode: 0o644 });
  await bench.volume.idle();
  return fid;
}

/** As if it had made the file for the folder, but for the file. */
async function crashHavingMade(path: string): Promise<Fid> {
  bench.keepRecords();
  await bench.crash();
  return make(path);
}

it('an unfinished file gets its contents when it is still there', async () => {
  await bench.start();
  const fid = await crashHavingMade('doc');
  writeFileSync(bench.path('doc'), 'text');
  await bench.start();
  await bench.settled();
  expect(bench.volume.tree()).toEqual({ doc: 'text' });
  expect(bench.volume.server.find('doc')).toBe(fid);
});

it.each(['doc', 'd/doc'])(
  'an unfinished file that is gone is removed with all its names: %s',
  async (path) => {
    bench.other.mkdir('d');
    await bench.start();
    const fid = await crashHavingMade(path);
    await bench.volume.link(fid, bench.volume.place('second'));
    await bench.start();
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ 'd/': '' });
  },
);

it.each<[string, () => void, Record<string, string>]>([
  ['is renamed', () => renameSync(bench.path('other'), bench.path('doc')), { doc: 'other' }],
  [
    'is linked',
    () => linkSync(bench.path('other'), bench.path('doc')),
    { doc: 'other', other: 'other' },
  ],
  ['is made a folder', () => mkdirSync(bench.path('doc')), { 'doc/': '', other: 'other' }],
])(
  'an unfinished file gives its name to one that %s there before the daemon is back',
  async (_what, act, wanted) => {
    await bench.start();
    writeFileSync(bench.path('other'), 'other');
    await bench.settled();
    await crashHavingMade('doc');
    act();
    await bench.start();
    await bench.settled();
    expect(bench.volume.tree()).toEqual(wanted);
    expect(bench.tree()).toEqual(wanted);
  },
);

it('an unfinished file of another laptop stays, since it may still be stored', async () => {
  bench.other.make('doc');
  await bench.start();
  await bench.settled();
  expect(bench.volume.tree()).toEqual({ doc: '(none)' });
});

it('files of other laptops without contents count until they are stored or removed', async () => {
  bench.other.make('doc');
  bench.other.make('other');
  await bench.start();
  expect(bench.folder.unstored?.()).toEqual({ files: 2, path: 'doc' });
  await bench.other.write('doc', 'text');
  await bench.settled();
  expect(bench.folder.unstored?.()).toEqual({ files: 1, path: 'other' });
  bench.other.remove('other');
  await bench.settled();
  expect(bench.folder.unstored?.()).toBeNull();
});

it('an unfinished file that is being made now stays', async () => {
  await bench.start();
  await make('doc');
  await bench.settled();
  expect(bench.volume.tree()).toEqual({ doc: '(none)' });
});

it('an unfinished file that somebody has stored since stays', async () => {
  await bench.start();
  const fid = await crashHavingMade('doc');
  await bench.other.write('doc', 'text');
  await bench.start();
  await bench.settled();
  expect(bench.volume.tree()).toEqual({ doc: 'text' });
  expect(bench.volume.server.find('doc')).toBe(fid);
});
