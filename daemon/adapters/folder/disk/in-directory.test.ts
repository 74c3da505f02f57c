/** Directories in which other volumes are kept are not changed, whatever the records of this folder say of them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookedHost } from '../../../../test/support/hooked-host.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { InDirectory, type RecordedPaths } from './in-directory.ts';
import { PathChanged } from './path-changed.ts';
import { SafeRoot } from './safe-root.ts';
import { systemDisk } from './system-disk.ts';

const PATHS: Readonly<Record<string, string[]>> = {
  'the folder': [],
  'the mount point': ['team'],
  'a directory in it': ['team', 'sub'],
};

const records: RecordedPaths = {
  root: 'the folder' as Fid,
  get: () => null,
  update: () => undefined,
  pathOf: (dir) => PATHS[dir] ?? null,
  pathOfPlace: ({ dir, name }) => [...(PATHS[dir] ?? []), name],
  shownName: ({ name }) => name,
  directoryAt: () => null,
  at: () => null,
};

const disk = systemDisk(new HookedHost());
let root: string;
let directories: InDirectory;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-in-directory-'));
  mkdirSync(join(root, 'team/sub'), { recursive: true });
  const isOthers = (dir: readonly string[]): boolean => dir[0] === 'team';
  directories = new InDirectory(new SafeRoot(root, disk), records, disk, isOthers);
});
afterEach(() => rmSync(root, { recursive: true }));

function makeIn(dir: string): void {
  directories.change(dir as Fid, (base) => disk.makeDirectory(`${base}/made`, 0o755));
}

describe('a directory in which another volume is kept', () => {
  it.each(['the mount point', 'a directory in it'])('is not changed: %s', (dir) => {
    expect(() => makeIn(dir)).toThrow(PathChanged);
    expect(existsSync(join(root, ...(PATHS[dir] ?? []), 'made'))).toBe(false);
  });

  it('keeps nobody from changes around it', () => {
    makeIn('the folder');
    expect(existsSync(join(root, 'made'))).toBe(true);
  });
});
