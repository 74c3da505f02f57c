/** Both watchers hint at whatever happens. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { WatchedHost } from '../../../../test/support/watched-host.ts';
import { systemDisk } from '../disk/system-disk.ts';
import { watchRoot } from './watching.ts';
import type { WatchBy, Watcher } from './watcher.ts';

describe.each<WatchBy>(['chokidar', 'directories'])('the watcher by %s', (by) => {
  let root: string;
  let watcher: Watcher;
  let hints: Set<string>;
  let heard: () => void;

  const path = (...names: string[]): string => join(root, ...names);
  const hinted = (...paths: string[]): Promise<void> =>
    new Promise((resolve) => {
      heard = () => {
        if (paths.every((wanted) => hints.has(wanted))) resolve();
      };
      heard();
    });

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'godwit-watch-'));
    mkdirSync(path('d', 'e'), { recursive: true });
    mkdirSync(path('.godwit'));
    writeFileSync(path('d', 'e', 'deep'), '');
    hints = new Set();
    heard = () => undefined;
    watcher = watchRoot(
      root,
      { files: systemDisk(new WatchedHost()), letOthersRun: () => setImmediate() },
      by,
      {
        isIgnored: (components) => components[0] === '.godwit',
        hint: (hint) => {
          hints.add(hint);
          heard();
        },
        another: () => undefined,
        missed: () => undefined,
        lost: (reason) => {
          throw new Error(reason);
        },
      },
    );
    await watcher.ready;
  });

  afterEach(async () => {
    await watcher.close();
    rmSync(root, { recursive: true });
  });

  it('reports files, modes and links in directories at any depth', async () => {
    writeFileSync(path('d', 'e', 'deep'), 'x');
    writeFileSync(path('new'), '');
    symlinkSync('/', path('link'));
    await hinted('d/e/deep', 'new', 'link');
    chmodSync(path('new'), 0o600);
    hints.clear();
    unlinkSync(path('link'));
    await hinted('link');
  });

  it('reports what is in a new directory', async () => {
    mkdirSync(path('n', 'm'), { recursive: true });
    await hinted('n');
    writeFileSync(path('n', 'm', 'file'), '');
    // What was there before the watch is found by looking into the directory.
    await (hints.has('n/m') ? Promise.resolve() : hinted('n'));
    hints.clear();
    writeFileSync(path('n', 'later'), '');
    await hinted('n/later');
  });

  it('reports both names of a moved directory, and then what is in it', async () => {
    renameSync(path('d'), path('moved'));
    await hinted('d', 'moved');
    writeFileSync(path('moved', 'later'), '');
    await hinted('moved/later');
    hints.clear();
    mkdirSync(path('d'));
    await hinted('d');
    writeFileSync(path('d', 'again'), '');
    await hinted('d/again');
  });

  it('reports nothing from ignored directories', async () => {
    writeFileSync(path('.godwit', 'tmp'), '');
    writeFileSync(path('other'), '');
    await hinted('other');
    expect([...hints].filter((hint) => hint.startsWith('.godwit/'))).toEqual([]);
  });
});
