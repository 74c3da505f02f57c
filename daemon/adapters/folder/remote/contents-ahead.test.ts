import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
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
