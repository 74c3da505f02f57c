/** The root of a folder may go where no watch tells of it. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { milliseconds, minutes } from '../../../../shared/model/time.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { WatchedHost } from '../../../../test/support/watched-host.ts';

let top: string;
let host: WatchedHost;
let bench: FolderBench;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'godwit-above-'));
  mkdirSync(join(top, 'above'));
  host = new WatchedHost();
  bench = new FolderBench(host, join(top, 'above'));
  bench.limits = { ...bench.limits, mountLook: milliseconds(20) };
});
afterEach(async () => {
  await bench.destroy();
  rmSync(top, { recursive: true, force: true });
});

const said = (): string[] =>
  bench.folder
    .status()
    .errors.filter(({ code }) => code === 'folder-moved')
    .map(({ message }) => message);

/** The folder above is moved, and no watch tells of it. */
async function begin(): Promise<void> {
  writeFileSync(bench.path('doc'), 'first');
  host.isSilent = true;
  await bench.start();
  await bench.until(() => bench.folder.unsettled().paths === 0);
  renameSync(join(top, 'above'), join(top, 'away'));
}

async function back(): Promise<void> {
  rmSync(join(top, 'above'), { recursive: true, force: true });
  renameSync(join(top, 'away'), join(top, 'above'));
  host.isSilent = false;
  await bench.until(() => said().length === 0);
  writeFileSync(bench.path('doc'), 'second');
  await bench.volume.until(() => bench.volume.tree()['doc'] === 'second');
}

it('a root that goes with a folder above it is reported, though nobody asks', async () => {
  await begin();
  await bench.until(() => said().length > 0);
  expect(said()[0]).toMatch(/is not where it was/);
  expect(bench.volume.tree()).toEqual({ doc: 'first' });
  await back();
});

it('a root that is covered by an empty folder is reported as another one', async () => {
  await begin();
  mkdirSync(join(top, 'above', basename(bench.root)), { recursive: true });
  await bench.until(() => said().length > 0);
  expect(said()[0]).toMatch(/is not the folder that was synced/);
  expect(bench.volume.tree()).toEqual({ doc: 'first' });
  await back();
});

it('a flush that finds the root away leaves an error until it is back', async () => {
  bench.limits = { ...bench.limits, mountLook: minutes(60) };
  await begin();
  await expect(bench.folder.scan()).rejects.toMatchObject({ code: 'folder-moved' });
  await bench.until(() => said().length > 0);
  await back();
});
