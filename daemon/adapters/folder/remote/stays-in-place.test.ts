/** What others moved or removed, and this system keeps where it is: it is told at the name that the volume has for it, and goes on there. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeDisks } from '../../../../test/support/fake-disks.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import type { Disk } from '../disk/disk.ts';
import { systemDisk } from '../disk/system-disk.ts';

let bench: FolderBench;
/** What the system says to who moves or removes these names; null: nothing. */
let refusal: string | null = null;

beforeEach(async () => {
  bench = new FolderBench();
  mkdirSync(bench.path('card'), { recursive: true });
  const disks = new FakeDisks(bench.root, join(bench.dir, 'shelf'));
  disks.mount('card', 'card');
  bench.mounts = disks;
  mkdirSync(bench.path('d'));
  writeFileSync(bench.path('card', 'photo'), 'photo');
  writeFileSync(bench.path('d', 'text'), 'text');
  writeFileSync(bench.path('note'), 'note');
  refusal = null;
  bench.world = { disk: refusing() };
  await bench.start();
});
afterEach(() => bench.destroy());

/** The disk of this system, which refuses. */
function refusing(): Disk {
  const disk = systemDisk(bench.host);
  const isMeant = (path: string): boolean => /\/proc\/self\/fd\/\d+\/(card|note)$/.test(path);
  const meet = (path: string): void => {
    if (refusal === null || !isMeant(path)) return;
    throw Object.assign(new Error(refusal), { code: refusal, syscall: 'rename' });
  };
  return {
    ...disk,
    renameNoReplace: (from, to) => {
      meet(from);
      disk.renameNoReplace(from, to);
    },
    copyFile: (from, to, options) => {
      if (refusal === 'EIO') throw Object.assign(new Error(refusal), { code: refusal });
      return disk.copyFile(from, to, options);
    },
    removeDirectory: (path) => {
      meet(path);
      disk.removeDirectory(path);
    },
  };
}

const told = (): string[] =>
  bench.folder.status().errors.map(({ code, path, message }) => `${code} ${path}: ${message}`);

async function tells(text: string): Promise<void> {
  await bench.until(() => told().includes(text));
  expect(told()).toEqual([text]);
}

it.each(['EBUSY', 'EACCES'])(
  'a folder at which a disk is mounted is listed at its new name, and is synced: %s',
  async (code) => {
    refusal = code;
    bench.other.rename('card', 'd/pictures');
    await tells(
      'sync-blocked d/pictures: it is still “card” here, and can not be moved: a disk is mounted at it',
    );
    expect(bench.folder.leftOut?.(['d', 'pictures'])).toMatch(/still “card”/);
    expect(bench.folder.leftOut?.(['d', 'pictures', 'photo'])).toMatch(/still “card”/);
    await bench.other.write('d/pictures/theirs', 'theirs');
    await bench.until(() => bench.tree()['card/theirs'] === 'theirs');
    writeFileSync(bench.path('card', 'ours'), 'ours');
    await bench.volume.until(() => bench.volume.tree()['d/pictures/ours'] === 'ours');
    refusal = null;
    await bench.shows(bench.volume.tree());
    await bench.until(() => told().length === 0);
  },
);

it('a file that may not be moved is listed at its new name', async () => {
  refusal = 'EACCES';
  bench.other.rename('note', 'd/note');
  await tells(
    'sync-blocked d/note: it is still “note” here, and can not be moved: there is no right to it (EACCES)',
  );
  refusal = null;
  await bench.shows(bench.volume.tree());
  await bench.until(() => told().length === 0);
});

it('a folder at which a disk is mounted is listed when others remove it', async () => {
  refusal = 'EBUSY';
  bench.other.remove('card/photo');
  bench.other.remove('card');
  await tells('sync-blocked card: it can not be removed: a disk is mounted at it');
});

it('a folder that can not be copied to another disk is listed at its new name', async () => {
  refusal = 'EIO';
  bench.other.rename('d', 'card/d');
  await tells(
    'sync-blocked card/d: it is still “d” here, and can not be moved: the disk fails (EIO)',
  );
  refusal = null;
  await bench.shows(bench.volume.tree());
  await bench.until(() => told().length === 0);
});
