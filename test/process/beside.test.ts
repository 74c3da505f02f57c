/** A device beside another one that attacks the server, with real processes; `npm run beside` measures it. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { outputOf } from '../support/bench.ts';
import { ATTACKS } from './beside/attacks.ts';
import { classOf, type Role } from './beside/classes.ts';

const MAIN = fileURLToPath(new URL('./beside/main.ts', import.meta.url));

it('a server in real time and one with the most weight can not be measured in one run', async () => {
  const child = spawn(process.execPath, [MAIN, '--shared', '--weighted']);
  expect(await outputOf(child)).toEqual({
    code: 2,
    stdout: '',
    stderr: '--shared, --weighted, --equal: give one of them\n',
  });
});

it('only a server in real time goes before what the kernel does for the disk', () => {
  const modes = ['quiet', 'realtime', 'weighted', 'equal'] as const;
  const before = (role: Role) => modes.filter((mode) => classOf(role, mode).includes('--rr'));
  expect(before('server')).toEqual(['realtime']);
  expect(before('attacker')).toEqual([]);
});

it('an attacker on a quiet machine has the least weight in a session of its own', () => {
  const [program = '', ...before] = classOf('attacker', 'quiet');
  const told =
    'cat /proc/self/autogroup 2> /dev/null || echo none; cut -d" " -f1,6 /proc/$$/stat; chrt -p $$';
  const { stdout } = spawnSync(program, [...before, 'sh', '-c', told], { encoding: 'utf8' });
  const [group = '', ids = ''] = stdout.split('\n');
  expect(group).toMatch(/ nice 19$|^none$/);
  const [session, pid] = ids.trim().split(/ +/);
  expect(session).toBe(pid);
  expect(stdout).toContain('SCHED_IDLE');
});

/** A slice asks and saves once at least, however short it is; figures need longer ones. */
it('a device is served beside each harmful one', async () => {
  const child = spawn(process.execPath, [MAIN, '--equal', '--rounds', '1', '--seconds', '0.1']);
  const { code, stdout, stderr } = await outputOf(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const { name } of ATTACKS) {
    expect(stdout).toMatch(new RegExp(`^${name}: \\d+ answered`, 'm'));
  }
  expect(stdout.match(/ask beside p50/g)).toHaveLength(ATTACKS.length);
}, 600_000);
