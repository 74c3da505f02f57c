/** `npm run long-queue` on a short queue prints all its figures. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { itInElectron } from '../support/electron.ts';

const MAIN = fileURLToPath(new URL('./long-queue/main.ts', import.meta.url));
const FILES = 120;
const FOLDERS = 2;
const LIMIT_MS = 500_000;

itInElectron('`npm run long-queue` measures the queue and the window', () => {
  const args = ['--files', String(FILES), '--seconds', '1'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    // Jest waits for it, and can not end it: its own limit is over when this returns.
    timeout: LIMIT_MS,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const names = FILES + FOLDERS;
  expect(stdout).toContain(`queued: ${names} of metadata, ${FILES} stores`);
  expect(stdout).toContain(`entries told: ${names + FILES}\n`);
  for (const figure of [
    /all of it: \d+ ms; another program waited \d+ ms at most/,
    /^watched: [\d.]+ % of a core/m,
    /main thread: [\d.]+ ms for a frame/,
    /^memory of Tab: [1-9]\d* MB/m,
  ]) {
    expect(stdout).toMatch(figure);
  }
  return Promise.resolve();
});
