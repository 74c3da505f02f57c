/**
 * Directories that their owner may not write or enter, as an ordinary user, whom every right is checked for: what others do in them and with them is
 * put in place, and afterwards they are as their owner wants them, also when the daemon ends in between.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, lstatSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';
import { beOrdinary } from '../../../../test/support/ordinary-user.ts';

let end: () => void;
let host: HookedHost;
let bench: FolderBench;
beforeEach(() => {
  end = beOrdinary();
  host = new HookedHost();
  bench = new FolderBench(host);
});
afterEach(async () => {
  await bench.close();
  end();
  await bench.destroy();
});

const modeOf = (name: string): number => statSync(bench.path(name)).mode & 0o7777;
/** For the test, which is an ordinary user as well. */
const open = (...names: string[]): void =>
  names.forEach((name) => chmodSync(bench.path(name), 0o755));
/** What is in a directory that may not be entered is not seen, and that is said. */
const OF_LOCKED = ['file-unreadable', 'ignore-file'];
const inPlace = async (): Promise<void> => {
  await bench.settled();
  expect(bench.folder.status().errors.filter(({ code }) => !OF_LOCKED.includes(code))).toEqual([]);
};

describe.each([0o555, 0o500, 0o111, 0o000])('a directory with mode %o', (mode) => {
  beforeEach(async () => {
    bench.other.mkdir('d');
    bench.other.mkdir('d/sub');
    await bench.other.write('d/sub/file', 'one');
    bench.other.mkdir('to');
    await bench.start();
    await inPlace();
    bench.other.setattr('d', { mode });
    await inPlace();
    expect(modeOf('d')).toBe(mode);
  });

  it('receives changes in it and below it', async () => {
    await bench.other.write('d/new', 'new');
    await bench.other.write('d/sub/new', 'new');
    await bench.other.write('d/sub/file', 'two');
    bench.other.symlink('d/link', 'new');
    await inPlace();
    expect([modeOf('d'), bench.volume.status('d').mode]).toEqual([mode, mode]);
    open('d');
    expect(bench.tree()).toEqual(bench.volume.tree());
  });

  it('lets files leave it and change places in it', async () => {
    bench.other.rename('d/sub/file', 'to/file');
    bench.other.rename('d/sub', 'to/sub');
    await inPlace();
    expect(modeOf('d')).toBe(mode);
    open('d');
    expect(bench.tree()).toEqual(bench.volume.tree());
  });

  it('can be moved by others', async () => {
    bench.other.rename('d', 'to/d');
    await inPlace();
    expect([modeOf('to/d'), bench.volume.status('to/d').mode]).toEqual([mode, mode]);
    open('to/d');
    expect(bench.tree()).toEqual(bench.volume.tree());
  });

  it('can be removed with everything in it', async () => {
    for (const path of ['d/sub/file', 'd/sub', 'd']) bench.other.remove(path);
    await inPlace();
    expect(bench.tree()).toEqual({ 'to/': '' });
  });

  it('is locked again after a crash during a change, and nothing is sent', async () => {
    bench.keepRecords();
    await bench.crash();
    chmodSync(bench.path('d'), mode | 0o1300);
    bench.told();
    await bench.start();
    await inPlace();
    expect([modeOf('d'), bench.volume.status('d').mode]).toEqual([mode, mode]);
    expect(bench.told()).toEqual([]);
  });

  it('is locked again after a crash right after it was moved', async () => {
    bench.keepRecords();
    await bench.crash();
    chmodSync(bench.path('d'), mode | 0o1300);
    renameSync(bench.path('d'), bench.path('to', 'd'));
    bench.other.rename('d', 'to/d');
    await bench.start();
    await inPlace();
    expect([modeOf('to/d'), bench.volume.status('to/d').mode]).toEqual([mode, mode]);
  });

  it('stays locked when a change in it fails', async () => {
    host.refuse('placing', 'new', 'EIO');
    await bench.other.write('d/new', 'new');
    await bench.until(() =>
      bench.folder.status().errors.some(({ code }) => code === 'sync-blocked'),
    );
    expect(modeOf('d')).toBe(mode);
    host.refuse('placing', null);
    await bench.until(() =>
      bench.folder.status().errors.every(({ code }) => code !== 'sync-blocked'),
    );
    await inPlace();
    expect(modeOf('d')).toBe(mode);
  });
});

it('a new laptop receives a tree with locked directories', async () => {
  for (const [path, mode] of [
    ['a', 0],
    ['a/b', 0o555],
    ['a/b/c', 0],
  ] as const)
    bench.other.mkdir(path, mode);
  await bench.other.write('a/b/c/file', 'text');
  await bench.start();
  await inPlace();
  expect([modeOf('a'), bench.volume.status('a/b').mode]).toEqual([0, 0o555]);
  open('a');
  expect(modeOf('a/b')).toBe(0o555);
  open('a/b', 'a/b/c');
  expect(bench.tree()).toEqual(bench.volume.tree());
});

it("attributes reach a read-only file, and a crash meanwhile is not taken for a user's change", async () => {
  await bench.other.write('doc', 'text', { mode: 0o400 });
  await bench.start();
  await inPlace();
  bench.keepRecords();
  bench.other.setattr('doc', { xattrs: [{ name: 'tags', value: 'cmVk' }] });
  await inPlace();
  expect(host.listXattrs(bench.path('doc')).map(({ name }) => name)).toEqual(['tags']);
  expect(modeOf('doc')).toBe(0o400);
  await bench.crash();
  chmodSync(bench.path('doc'), 0o1600);
  bench.told();
  await bench.start();
  await inPlace();
  expect([modeOf('doc'), bench.volume.status('doc').mode]).toEqual([0o400, 0o400]);
  expect(bench.told()).toEqual([]);
});

it('a directory that a user locks is reported and delays nothing else', async () => {
  await bench.start();
  mkdirSync(bench.path('d'));
  writeFileSync(bench.path('d', 'in'), 'in');
  await inPlace();
  chmodSync(bench.path('d'), 0);
  writeFileSync(bench.path('beside'), 'beside');
  await inPlace();
  expect(bench.volume.tree()).toEqual({ beside: 'beside', 'd/': '', 'd/in': 'in' });
  expect(bench.volume.status('d').mode).toBe(0);
  expect(bench.folder.status().errors).toMatchObject([{ code: 'file-unreadable', path: 'd' }]);
  expect(lstatSync(bench.path('d')).mode & 0o7777).toBe(0);
});
