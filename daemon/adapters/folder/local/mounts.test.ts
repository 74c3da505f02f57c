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

describe('a disk that is away at the first start after a kill', () => {
  /** The daemon dies before its records are written, and starts without the disk; then it is mounted again. */
  async function killed(
    meanwhile: () => Promise<unknown> | void = () => undefined,
    takeAway = () => disks.unmount('photos', 'stick'),
    bringBack = () => disks.mount('photos', 'stick'),
  ): Promise<void> {
    await bench.crash();
    takeAway();
    await bench.start();
    expect(isAway()).toBe(true);
    await meanwhile();
    bringBack();
    await bench.until(() => !isAway());
    await bench.settled();
  }

  it.each<[string, () => Promise<void> | void]>([
    ['a new file of others', () => bench.other.write('photos/5', 'theirs')],
    ['new contents of others', () => bench.other.write('photos/1', 'theirs')],
    [
      'a folder of others',
      async () => {
        bench.other.mkdir('photos/new');
        await bench.other.write('photos/new/5', 'theirs');
      },
    ],
    ['a name of others', () => bench.other.rename('photos/1', 'photos/old/5')],
    ['a new file of this laptop', () => writeFileSync(bench.path('photos', '5'), 'ours')],
    ['new contents of this laptop', () => writeFileSync(bench.path('photos', '1'), 'ours')],
    ['a name of this laptop', () => renameSync(bench.path('photos/1'), bench.path('photos/old/5'))],
  ])('is found as it was left: %s', async (_, act) => {
    bench.keepRecords();
    await act();
    await bench.settled();
    const tree = bench.volume.tree();
    expect(bench.tree()).toEqual(tree);
    bench.told();
    await killed();
    expect(bench.volume.tree()).toEqual(tree);
    expect(bench.tree()).toEqual(tree);
    tellsNothing();
  });

  /** To mount is to change the folder that it is in. */
  function tellsNothing(): void {
    const isOfFolder = (told: string): boolean => /^setattr .*mtime$/.test(told);
    expect(bench.told().filter((told) => !isOfFolder(told))).toEqual([]);
  }

  it.each<[string, Parameters<typeof killed>]>([
    ['after more starts without it', [async () => [await bench.close(), await bench.start()]]],
    ['after another kill', [async () => [await bench.crash(), await bench.start()]]],
    [
      'when another disk had covered it',
      [
        undefined,
        () => {
          disks.unmount('photos', 'stick');
          disks.mount('photos', 'other');
        },
        () => {
          disks.unmount('photos', 'other');
          disks.mount('photos', 'stick');
        },
      ],
    ],
    ['when everything was looked at meanwhile', [() => bench.flush()]],
    ['when others made files there meanwhile', [() => bench.other.write('photos/6', 'later')]],
  ])('is found as it was left %s', async (_, killing) => {
    bench.keepRecords();
    await bench.other.write('photos/5', 'theirs');
    await bench.settled();
    bench.told();
    await killed(...killing);
    expect(bench.volume.tree()).toMatchObject({ ...WHOLE, 'photos/5': 'theirs' });
    expect(bench.tree()).toEqual(bench.volume.tree());
    tellsNothing();
  });

  it('is as any other once it was looked at: what others made is in conflict with what is made here', async () => {
    bench.keepRecords();
    await killed();
    await bench.other.write('photos/5', 'theirs');
    bench.volume.connected = false;
    writeFileSync(bench.path('photos', '5'), 'ours');
    await bench.folder.scan();
    bench.volume.connected = true;
    await bench.settled();
    const both = { 'photos/5': 'theirs', 'photos/5 (conflict)': 'ours' };
    expect(bench.volume.tree()).toEqual({ ...WHOLE, ...both });
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

  it('rejects the removals, and a program is first where a file is to come back', async () => {
    bench.volume.connected = false;
    const rejected = bench.folder.rejectRemovals();
    await bench.until(() => bench.folder.heldRemovals() === 0);
    writeFileSync(bench.path('photos', '1'), 'new');
    mkdirSync(bench.path('photos', 'old'));
    writeFileSync(bench.path('photos', 'old', '4'), 'new');
    await bench.folder.scan();
    bench.volume.connected = true;
    expect(await rejected).toBe(5);
    await bench.settled();
    const tree = { ...WHOLE, 'photos/1': 'new', 'photos/old/4': 'new' };
    expect(bench.volume.tree()).toEqual(tree);
    expect(bench.tree()).toEqual(tree);
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
