/** What is said of a path ends with the path: an ordinary user, whom every right is checked for, removes or renames what could not be read. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { beOrdinary } from '../../../../test/support/ordinary-user.ts';

let end: () => void;
let bench: FolderBench;
beforeEach(async () => {
  end = beOrdinary();
  bench = new FolderBench();
  await bench.start();
});
afterEach(async () => {
  await bench.close();
  end();
  await bench.destroy();
});

const errors = (): string[] =>
  bench.folder.status().errors.map(({ code, path }) => `${code} ${path ?? ''}`);
/** Makes a directory, and locks it when the volume has it. */
const lock = async (...at: string[]): Promise<void> => {
  mkdirSync(bench.path(...at), { recursive: true });
  await bench.settled();
  chmodSync(bench.path(...at), 0);
  await bench.settled();
  expect(errors()).toEqual([`file-unreadable ${at.join('/')}`]);
};

it('a locked directory that is removed is reported no more', async () => {
  await lock('m');
  rmdirSync(bench.path('m'));
  await bench.settled();
  expect(errors()).toEqual([]);
});

it('a locked directory that gets another name and is unlocked is reported no more', async () => {
  await lock('m');
  renameSync(bench.path('m'), bench.path('n'));
  chmodSync(bench.path('n'), 0o755);
  await bench.settled();
  expect(errors()).toEqual([]);
  expect(bench.volume.tree()).toEqual({ 'n/': '' });
});

it('a locked directory is reported no more when another device removes it or what it is in', async () => {
  await lock('z', 'deep');
  bench.other.remove('z/deep');
  bench.other.remove('z');
  await bench.settled();
  await bench.until(() => errors().length === 0);
  expect(bench.tree()).toEqual({});
});

it('a look at everything ends what was said of what is gone, at any depth', async () => {
  await lock('z', 'deep');
  chmodSync(bench.path('z', 'deep'), 0o700);
  rmSync(bench.path('z'), { recursive: true });
  await bench.flush();
  expect(errors()).toEqual([]);
});

it('a file that could not be read, a pipe and a bad name are reported no more when their directory is removed', async () => {
  mkdirSync(bench.path('d'));
  writeFileSync(bench.path('d', 'secret'), 'text');
  chmodSync(bench.path('d', 'secret'), 0);
  spawnSync('mkfifo', [bench.path('d', 'pipe')]);
  await bench.settled();
  writeFileSync(Buffer.from(`${bench.path('d')}/\xff`, 'latin1'), 'text');
  await bench.settled();
  const told = ['special-file d/pipe', 'file-unreadable d/secret', 'name-unusable d/\ufffd'];
  expect(errors()).toEqual(told);
  rmSync(bench.path('d'), { recursive: true });
  await bench.settled();
  expect(errors()).toEqual([]);
});
