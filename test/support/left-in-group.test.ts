import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { leftInGroup } from '../../build/left-in-group.mjs';

let child: ChildProcess | null = null;
afterEach(async () => {
  const ended = child;
  child = null;
  if (ended?.pid === undefined) return;
  process.kill(-ended.pid, 'SIGKILL');
  await once(ended, 'close');
});

/** Starts a script in a process group of its own. Returns its first output. */
async function group(script: string): Promise<{ pid: number; said: string }> {
  child = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const { pid, stdout } = child;
  const said = stdout === null ? [] : ((await once(stdout, 'data')) as Buffer[]);
  return { pid: pid ?? 0, said: String(said[0]).trim() };
}

const onLinux = process.platform === 'linux';

it('leftInGroup lists processes that are left in a group', async () => {
  const { pid, said } = await group('tail -f /dev/null > /dev/null & echo "$!"; exec cat -u');
  const pids = leftInGroup(pid)?.map((line) => line.slice(0, line.indexOf(' ')));
  expect(pids ?? null).toEqual(onLinux ? [String(pid), said] : null);
});

it('leftInGroup does not list an ended process that was not reaped', async () => {
  const { pid } = await group('echo ended & exec cat -u');
  const isAlone = (left: readonly string[] | null): boolean =>
    left === null || left.join() === `${pid} cat -u`;
  while (!isAlone(leftInGroup(pid))) await turn();
  expect(process.kill(-pid, 0)).toBe(true);
});

it('leftInGroup lists nothing for a group without processes', () => {
  expect(leftInGroup(0x7fff_fff0)).toEqual(onLinux ? [] : null);
});
