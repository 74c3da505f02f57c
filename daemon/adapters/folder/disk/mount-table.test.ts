/** What is mounted in a folder, as Linux tells it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { isChangedElsewhere, mountsIn, parseMountInfo } from './mount-table.ts';
import { systemMounts } from './system-mounts.ts';

const files = { realPath: (path: string): string => realpathSync(path) };
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'godwit-table-')));
});
afterEach(() => rmSync(root, { recursive: true }));

it('lines of the mount table are read with and without optional fields, with unescaped names', () => {
  const text = [
    '21 28 0:19 / /sys rw,nosuid shared:7 - sysfs sysfs rw',
    '36 35 98:0 /mnt1 /mnt/with\\040space\\134 rw,noatime - ext4 /dev/root rw',
    '40 28 0:50 / /far rw master:1 propagate_from:2 - fuse.sshfs me@host:/x rw',
    'not a line',
    '',
  ].join('\n');
  expect(parseMountInfo(text)).toEqual([
    { path: '/sys', type: 'sysfs' },
    { path: '/mnt/with space\\', type: 'ext4' },
    { path: '/far', type: 'fuse.sshfs' },
  ]);
});

it('names in the mount table are decoded as UTF-8', () => {
  const [mount] = parseMountInfo('1 2 0:1 / /b\u00e4r\\040\u732b rw - ext4 none rw');
  expect(mount?.path).toBe('/b\u00e4r \u732b');
});

it('the mounts of a folder are those below it, through links, and the one that it lies on', () => {
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'link'));
  const at = (name: string, type: string): { path: string; type: string } => ({
    path: join(root, name),
    type,
  });
  const table = {
    read: () => [
      { path: '/', type: 'ext4' },
      at('', 'xfs'),
      at('real/a', 'nfs4'),
      at('real/a', 'tmpfs'),
      at('real/a/b', 'ext4'),
      at('really', 'nfs4'),
    ],
  };
  expect(mountsIn(join(root, 'link'), table, files)).toEqual({
    type: 'xfs',
    below: new Map([
      ['a', 'tmpfs'],
      ['a/b', 'ext4'],
    ]),
  });
  expect(mountsIn(root, { read: () => null }, files)).toBeNull();
});

it('the mount table of this machine contains the root if it can be read', () => {
  const mounts = systemMounts.read();
  if (mounts !== null) expect(mounts.map(({ path }) => path)).toContain('/');
});

it('network and FUSE file systems count as changed elsewhere', () => {
  const far = ['nfs', 'nfs4', 'cifs', '9p', 'fuse', 'fuse.rclone', 'virtiofs'];
  expect(far.filter((type) => !isChangedElsewhere(type))).toEqual([]);
  expect(['ext4', 'btrfs', 'tmpfs', 'fuseblk', 'overlay'].filter(isChangedElsewhere)).toEqual([]);
});
