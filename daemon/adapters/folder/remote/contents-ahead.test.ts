import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Host } from '../../../../shared/ports/host.ts';
import { systemDisk } from '../disk/system-disk.ts';
import { ContentsAhead, type ContentsAheadParts } from './contents-ahead.ts';
import type { Room } from '../disk/own-directories.ts';
import { FOLDER_LIMITS } from '../folder-limits.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-ahead-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const STATUS = {
  fid: '1.2.3',
  version: 1,
  digest: 'd'.repeat(64),
  size: 4,
} as never as VnodeStatus;

it('a prefetched file that the disk refuses to delete is deleted with the next one', async () => {
  const [obtained, path, other] = ['obtained', 'private', 'other'].map((name) =>
    join(folder, name),
  );
  writeFileSync(String(obtained), 'four');
  writeFileSync(String(other), 'more');
  const parts = {
    ...{
      files: systemDisk({} as Host),
      limits: FOLDER_LIMITS,
      signal: new AbortController().signal,
    },
    feed: { obtain: () => Promise.resolve({ path: obtained }) },
  } as unknown as ContentsAheadParts;
  const ahead = new ContentsAhead(parts);
  await ahead.ready(STATUS, { disk: '', temporary: () => path } as unknown as Room);
  // A removal that is refused: that of a directory, by what removes files.
  rmSync(String(path));
  mkdirSync(String(path));
  ahead.dropAll();
  await turn();
  expect(existsSync(String(path))).toBe(true);
  rmdirSync(String(path));
  writeFileSync(String(path), 'four');
  ahead.discard(String(other));
  expect([path, other].map((each) => existsSync(String(each)))).toEqual([false, false]);
});

/** The folder is on another disk, which is full for so many tries. */
function onFullDisk(tries: number): { parts: ContentsAheadParts; obtained: () => number } {
  let [obtained, left] = [0, tries];
  const failing = (code: string): never => {
    throw Object.assign(new Error(code), { code });
  };
  const files = Object.assign(Object.create(systemDisk({} as Host)) as object, {
    copySparse: () => Promise.resolve(false),
    move: () => failing('EXDEV'),
    copyFile: (from: string, to: string) => {
      if (left-- > 0) failing('ENOSPC');
      copyFileSync(from, to);
      return Promise.resolve({ digest: STATUS.digest });
    },
    drop: (path: string) => Promise.resolve(rmSync(path, { force: true })),
    exists: existsSync,
    remove: (path: string) => rmSync(path),
  });
  const feed = {
    obtain: () => {
      const path = join(folder, `obtained-${obtained++}`);
      writeFileSync(path, 'four');
      return Promise.resolve({ path });
    },
  };
  const parts = { files, feed, limits: FOLDER_LIMITS, signal: new AbortController().signal };
  return { parts: parts as unknown as ContentsAheadParts, obtained: () => obtained };
}

const roomAt = (name: string): Room =>
  ({ disk: '', temporary: () => join(folder, name) }) as unknown as Room;

describe('contents that the disk of the folder has no room for', () => {
  it('come over the line once', async () => {
    const { parts, obtained } = onFullDisk(2);
    const ahead = new ContentsAhead(parts);
    await expect(ahead.ready(STATUS, roomAt('first'))).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(ahead.ready(STATUS, roomAt('second'))).rejects.toMatchObject({ code: 'ENOSPC' });
    await ahead.ready(STATUS, roomAt('third'));
    expect(obtained()).toBe(1);
    expect(readdirSync(folder)).toEqual(['third']);
  });

  it('are removed when nobody wants that file any more', async () => {
    const { parts } = onFullDisk(1);
    const ahead = new ContentsAhead(parts);
    await expect(ahead.ready(STATUS, roomAt('first'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(readdirSync(folder)).toEqual(['obtained-0']);
    ahead.letGo(STATUS.fid);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are not kept beyond the limits', async () => {
    const { parts, obtained } = onFullDisk(1);
    const limits = { ...FOLDER_LIMITS, keptBytes: 3 };
    const ahead = new ContentsAhead({ ...parts, limits });
    await expect(ahead.ready(STATUS, roomAt('first'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(readdirSync(folder)).toEqual([]);
    await ahead.ready(STATUS, roomAt('second'));
    expect(obtained()).toBe(2);
  });
});
