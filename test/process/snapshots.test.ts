/** The benchmark of snapshots runs, with few files; what it measures is for `npm run snapshots`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const MAIN = fileURLToPath(new URL('./snapshots/main.ts', import.meta.url));

test('the benchmark of snapshots prints how long they take to be made and removed', async () => {
  // Its exit code says whether the bound was kept, which a loaded machine may not.
  const ran = promisify(execFile)(process.execPath, [MAIN, '50']);
  const { stdout } = await ran.catch((error: { stdout: string }) => error);
  expect(stdout).toMatch(/^50 files, 50 snapshots\nmade: +median [\d.]+ ms/m);
  expect(stdout).toMatch(/\nremoved: +median [\d.]+ ms/);
});
