/** Real programs on real disks while things go wrong, a short run; `npm run storms` does it for as long as you like. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { endProcess, outputOf } from '../support/bench.ts';

const MAIN = fileURLToPath(new URL('./storms/main.ts', import.meta.url));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-storms-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const storms = (...args: string[]) =>
  spawn(process.execPath, [MAIN, '--keep', join(root, 'found'), ...args], {
    env: { ...process.env, TMPDIR: root },
  });

it('real programs lose nothing while daemons, the server, disks and lines fail', async () => {
  const { code, stdout, stderr } = await outputOf(storms('--cases', '1', '--rounds', '3'));
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/"rounds":3,[^]*\nnothing found\n$/),
  });
  expect(readdirSync(root)).toEqual([]);
});

it('a storm that is ended leaves no process, mount or folder behind', async () => {
  const child = storms('--acts');
  const ended = outputOf(child);
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (part: Buffer) => {
      if (part.toString().includes('round 0')) resolve();
    });
  });
  await endProcess(child.pid ?? 0);
  await ended;
  expect(readdirSync(root)).toEqual([]);
  if (existsSync('/proc/self/mounts')) {
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(root);
    expect(processesWith(root)).toEqual([]);
  }
});

it('a storm refuses what it does not know in one line', async () => {
  const { code, stdout, stderr } = await outputOf(storms('--only', 'snow'));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^--only snow: give some of plain, ext4, [^\n]*\n$/);
});

/** The command lines of processes that name a folder. */
function processesWith(folder: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(commandLine).filter((line) => line.includes(folder));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
