/** Disks that come and go within the folder: what vanishes with one is no removal, whatever its size. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds } from '../../../../shared/model/time.ts';
import { FakeDisks } from '../../../../test/support/fake-disks.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';

let bench: FolderBench;
let disks: FakeDisks;

beforeEach(async () => {
  bench = new FolderBench();
  mkdirSync(bench.path('photos'), { recursive: true });
  disks = new FakeDisks(bench.root, join(bench.dir, 'shelf'));
  disks.mount('photos', 'stick');
  bench.mounts = disks;
  bench.limits = { ...bench.limits, mountLook: milliseconds(20) };
  for (const name of ['1', '2', '3']) writeFileSync(bench.path('photos', name), name);
  mkdirSync(bench.path('photos', 'old'));
  writeFileSync(bench.path('photos', 'old', '4'), '4');
  writeFileSync(bench.path('doc'), 'doc');
  await bench.start();
});
afterEach(() => bench.destroy());

const WHOLE = {
  doc: 'doc',
  'photos/': '',
  'photos/1': '1',
  'photos/2': '2',
  'photos/3': '3',
  'photos/old/': '',
  'photos/old/4': '4',
};

const without = (gone: string): Record<string, string> =>
  Object.fromEntries(Object.entries(WHOLE).filter(([path]) => path !== gone));

const isAway = (): boolean => bench.folder.status().errors.some(({ code }) => code === 'disk-away');

/** Nothing of it was told to anybody. */
function held(count = 5): void {
  expect(bench.volume.tree()).toEqual(WHOLE);
  expect(bench.folder.heldRemovals()).toBe(count);
  expect(bench.folder.status().errors).toEqual([
    expect.objectContaining({
      code: 'disk-away',
      path: 'photos',
      message: expect.stringContaining(`${count} files`) as unknown,
    }),
  ]);
}

describe('a disk that is not mounted in the folder', () => {
  it.each([
    ['an empty folder stands there', () => disks.unmount('photos', 'stick')],
    ['nothing stands there', () => disks.eject('photos', 'stick')],
  ])('is held at the start: %s', async (_, takeAway) => {
    await bench.close();
    takeAway();
    await bench.start();
    held();
    expect(bench.told()).not.toContainEqual(expect.stringMatching(/^re?m/));
    rmSync(bench.path('photos'), { recursive: true, force: true });
    disks.mount('photos', 'stick');
    writeFileSync(bench.path('photos', '1'), 'changed');
    unlinkSync(bench.path('photos', '2'));
    await bench.until(() => !isAway());
    await bench.settled();
    expect(bench.folder.heldRemovals()).toBe(0);
    const left = without('photos/2');
    expect(bench.volume.tree()).toEqual({ ...left, 'photos/1': 'changed' });
    await bench.shows(bench.volume.tree());
  });

  it.each([
    ['an empty folder stands there', () => disks.unmount('photos', 'stick')],
    ['nothing stands there', () => disks.eject('photos', 'stick')],
  ])('is held at run time: %s', async (_, takeAway) => {
    takeAway();
    await bench.until(isAway);
    await bench.flush();
    held();
    rmSync(bench.path('photos'), { recursive: true, force: true });
    disks.mount('photos', 'stick');
    await bench.until(() => !isAway());
    await bench.settled();
    expect(bench.volume.tree()).toEqual(WHOLE);
    // It is watched again.
    writeFileSync(bench.path('photos', 'new'), 'new');
    await bench.volume.until(() => bench.volume.tree()['photos/new'] === 'new');
  });

  it('delays changes of others on it, and the rest goes on', async () => {
    disks.unmount('photos', 'stick');
    await bench.until(isAway);
    await bench.other.write('photos/1', 'theirs');
    await bench.other.write('photos/5', 'theirs');
    await bench.other.write('doc', 'theirs');
    await bench.until(() => bench.tree()['doc'] === 'theirs');
    await bench.flush();
    expect(bench.tree()).toEqual({ doc: 'theirs', 'photos/': '' });
    disks.mount('photos', 'stick');
    await bench.until(() => !isAway());
    await bench.settled();
    const theirs = { doc: 'theirs', 'photos/1': 'theirs', 'photos/5': 'theirs' };
    await bench.shows({ ...WHOLE, ...theirs });
    expect(bench.volume.tree()).toEqual({ ...WHOLE, ...theirs });
  });

  it('is not confused with files put at its mount point', async () => {
    disks.unmount('photos', 'stick');
    await bench.until(isAway);
    writeFileSync(bench.path('photos', '1'), 'beneath');
    await bench.flush();
    expect(bench.volume.tree()).toEqual(WHOLE);
    expect(bench.folder.heldRemovals()).toBe(5);
  });

  it('is not confused with old files below it that have the same names', async () => {
    disks.unmount('photos', 'stick');
    for (const name of ['1', '2', '3']) writeFileSync(bench.path('photos', name), `old ${name}`);
    mkdirSync(bench.path('photos', 'old'));
    writeFileSync(bench.path('photos', 'old', '4'), 'old 4');
    await bench.until(isAway);
    await bench.flush();
    held();
    await bench.close();
    await bench.start();
    held();
  });

  it('is held with the folders around it', async () => {
    await bench.close();
    const inner = new FakeDisks(bench.root, join(bench.dir, 'inner'));
    rmSync(bench.path('photos', 'old'), { recursive: true });
    await bench.start();
    mkdirSync(bench.path('a', 'b'), { recursive: true });
    inner.mount('a/b/card', 'card');
    writeFileSync(bench.path('a', 'b', 'card', 'x'), 'x');
    bench.mounts = inner;
    await bench.close();
    await bench.start();
    await bench.settled();
    inner.unmount('a/b/card', 'card');
    rmSync(bench.path('a'), { recursive: true });
    await bench.flush();
    expect(bench.volume.tree()).toMatchObject({ 'a/': '', 'a/b/': '', 'a/b/card/x': 'x' });
  });
});

describe('a path on a disk that is not mounted', () => {
  it.each([
    ['nothing is mounted', () => disks.unmount('photos', 'stick')],
    [
      'another disk covers it',
      () => {
        disks.unmount('photos', 'stick');
        disks.mount('photos', 'other');
      },
    ],
  ])('is reported as held, with all paths below: %s', async (_, change) => {
    change();
    await bench.until(isAway);
    for (const path of [['photos'], ['photos', '1'], ['photos', 'old', '4']]) {
      expect(bench.folder.leftOut?.(path)).toMatch(/mounted.*held/);
    }
    expect(bench.folder.leftOut?.(['doc'])).toBeNull();
  });

  it('is reported with the disk that covers it, which is not synced', async () => {
    disks.unmount('photos', 'stick');
    disks.mount('photos', 'other');
    await bench.until(isAway);
    const [told] = bench.folder.status().errors;
    expect(told?.message).toMatch(/another disk is mounted over it, and is not synced/);
    expect(told?.remedy).toMatch(/unmount/);
  });
});

describe('another disk in place of a folder', () => {
  it('removes nothing when it covers a folder that was no mount', async () => {
    mkdirSync(bench.path('plain'));
    writeFileSync(bench.path('plain', 'x'), 'x');
    await bench.settled();
    disks.mount('plain', 'empty');
    await bench.until(isAway);
    await bench.flush();
    expect(bench.volume.tree()).toMatchObject({ 'plain/x': 'x' });
    disks.unmount('plain', 'empty');
    await bench.until(() => !isAway());
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ ...WHOLE, 'plain/': '', 'plain/x': 'x' });
  });

  it('is accepted when it has all the files', async () => {
    await bench.close();
    disks.unmount('photos', 'stick');
    disks.mount('photos', 'larger');
    for (const name of ['1', '2', '3']) writeFileSync(bench.path('photos', name), name);
    mkdirSync(bench.path('photos', 'old'));
    writeFileSync(bench.path('photos', 'old', '4'), '4 larger');
    await bench.start();
    expect(isAway()).toBe(false);
    unlinkSync(bench.path('photos', '1'));
    await bench.settled();
    const left = without('photos/1');
    expect(bench.volume.tree()).toEqual({ ...left, 'photos/old/4': '4 larger' });
  });
});

describe('a decision about a disk that is not mounted', () => {
  beforeEach(async () => {
    disks.unmount('photos', 'stick');
    await bench.until(isAway);
  });

  it('confirms that it is gone', async () => {
    expect(await bench.folder.confirmRemovals()).toBe(5);
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ doc: 'doc', 'photos/': '' });
    expect(isAway()).toBe(false);
  });

  it('rejects the removals, and the files come back without the disk', async () => {
    expect(await bench.folder.rejectRemovals()).toBe(5);
    await bench.settled();
    await bench.shows(WHOLE);
    expect(bench.volume.tree()).toEqual(WHOLE);
    expect(isAway()).toBe(false);
  });
});

it('a removal on a mounted disk is a removal, and a disk may be mounted elsewhere after a move', async () => {
  rmSync(bench.path('photos', 'old'), { recursive: true });
  unlinkSync(bench.path('photos', '1'));
  await bench.settled();
  expect(bench.volume.tree()).toEqual({
    ...{ doc: 'doc', 'photos/': '', 'photos/2': '2', 'photos/3': '3' },
  });
  await bench.close();
  unlinkSync(bench.path('photos', '2'));
  await bench.start();
  expect(bench.volume.tree()).toEqual({ doc: 'doc', 'photos/': '', 'photos/3': '3' });
  renameSync(bench.path('doc'), bench.path('photos', 'doc'));
  await bench.settled();
  expect(bench.volume.tree()).toEqual({ 'photos/': '', 'photos/3': '3', 'photos/doc': 'doc' });
});
