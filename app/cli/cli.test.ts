import { mkdirSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { fakeMetrics } from '../../test/support/fake-stats.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { PAUSED_AT, type FakeDaemon } from '../../test/support/fake-daemon.ts';
import { godwit, godwitUntil } from '../../test/support/run-cli.ts';
import { dropEmptyTwins } from './cli.ts';
import { Interruption } from './interruption.ts';

let control: FakeControl;
let folder: string;
let data: string;
let daemon: FakeDaemon;

beforeEach(() => {
  control = new FakeControl();
  ({ folder, data, daemon } = control);
});

afterEach(async () => {
  await control.close();
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('GODWIT_') && name !== 'GODWIT_FAILED_CHECKS') delete process.env[name];
  }
});

const objectOf = (text: string): Record<string, unknown> => {
  expect(text.endsWith('}\n')).toBe(true);
  expect(text.indexOf('\n')).toBe(text.length - 1);
  return JSON.parse(text) as Record<string, unknown>;
};

describe('the command line', () => {
  it('lists all commands when it is called without one', async () => {
    const { code, stdout } = await godwit([]);
    expect(code).toBe(0);
    for (const name of [
      'up',
      'down',
      'status',
      'ls',
      'cat',
      'put',
      'flush',
      'pause',
      'resume',
      'network',
      'config',
      'conflicts',
      'confirm',
      'reject',
      'undo',
      'versions',
      'restore',
      'df',
      'doctor',
      'log',
      'metrics',
      'demo',
      'bench',
      'link',
      'here',
      'server',
      'completion',
      'help',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name}( |$)`, 'm'));
    }
  });

  it('has help for each command with the variables of its flags', async () => {
    const { code, stdout } = await godwit(['help', 'flush']);
    expect(code).toBe(0);
    expect(stdout).toContain('GODWIT_TIMEOUT');
    const server = await godwit(['server', 'invite', '--help']);
    expect(server.stdout).toContain('GODWIT_SERVER_DATA');
    expect((await godwit(['up', '--help'])).stdout).toContain('GODWIT_METRICS');
    expect((await godwit(['server', '--help'])).stdout).toContain('GODWIT_SERVER_METRICS');
  });

  it('prints its version', async () => {
    expect((await godwit(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['explode']],
    [['status', '--explode']],
    [['status', 'too', 'many']],
    [['cat']],
    [['put', 'one']],
    [['flush', '--timeout', 'soon']],
    [['up', '--front-end', 'window']],
    [['up', '--metrics', '70000']],
    [['ls', '../x']],
    [['server', 'revoke', 'me']],
    [['server', 'withdraw', 'me']],
    [['server', '--metrics', 'yes']],
    [['server', '--reader-wait', '26']],
    [['completion', 'tcsh']],
  ])('rejects the arguments %j as a usage error: one line, exit code 2', async (args) => {
    const run = await godwit([
      ...args,
      ...(args[0] === 'explode' || args[0] === 'completion' || args[0] === 'server'
        ? []
        : ['--data', data]),
    ]);
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
  });

  it('refuses a volume with an impossible name as not found', async () => {
    const name = 'v'.repeat(256);
    expect(await godwit(['versions', '/x', '--data', data, '--volume', name])).toMatchObject({
      code: 3,
      stderr: `godwit: --volume ${name}: there is no such volume; see \`godwit status\` for those there are\n`,
    });
  });

  it('prints errors as objects with --json', async () => {
    const run = await godwit(['status', '--data', data, '--json']);
    expect(run.code).toBe(5);
    expect(run.stderr).toBe('');
    expect(objectOf(run.stdout)).toMatchObject({
      error: { code: 'not-running', message: `${data}: no daemon runs on this data folder` },
    });
    const usage = await godwit(['status', '--json', '--explode']);
    expect(objectOf(usage.stdout)).toMatchObject({ error: { code: 'usage' } });
  });

  it.each([
    [['bench', 'table2', '--json=/nowhere/x', '--explode'], "unknown option '--explode'"],
    [['replay', '--json'], "missing required argument 'trace'"],
    [['flush', '--json', '--timeout'], "option '--timeout <seconds>' argument missing"],
  ])('prints the usage error of %j as an object', async (args, message) => {
    const run = await godwit(args);
    expect([run.code, run.stderr]).toEqual([2, '']);
    expect(objectOf(run.stdout)).toMatchObject({ error: { code: 'usage', message } });
  });

  it('reads flags from the environment', async () => {
    await control.start();
    process.env['GODWIT_DATA'] = data;
    process.env['GODWIT_JSON'] = '1';
    process.env['GODWIT_TIMEOUT'] = '2';
    const run = await godwit(['flush', '--wait']);
    expect(objectOf(run.stdout)).toEqual({ flushed: true });
    expect(daemon.calls).toEqual(['flush 2000']);
  });

  it.each([
    ['name-unusable', 1],
    ['place-taken', 1],
    ['over-quota', 1],
    ['timed-out', 5],
    ['usage', 2],
  ] as const)(
    'ends a flush that fails with %s with exit code %i, one code for what is not synced',
    async (code, exit) => {
      await control.start();
      daemon.flushing = () => Promise.reject(new GodwitError(code, 'doc: why'));
      const run = await godwit(['flush', '--wait', '--data', data]);
      expect([run.code, run.stderr]).toEqual([
        exit,
        expect.stringMatching(/^godwit: doc: why; [^\n]+\n$/),
      ]);
    },
  );

  it('ignores an environment variable without a value', () => {
    const env = { GODWIT_TIMEOUT: '0', GODWIT_QUIET: '', GODWIT_WAIT: 'yes', OTHER: '' };
    dropEmptyTwins(env);
    expect(env).toEqual({ GODWIT_TIMEOUT: '0', GODWIT_WAIT: 'yes', OTHER: '' });
  });

  it('reads a no in the environment as no, and 0 as a value as 0', async () => {
    await control.start();
    process.env['GODWIT_DATA'] = data;
    process.env['GODWIT_JSON'] = 'off';
    process.env['GODWIT_NOW'] = '0';
    process.env['GODWIT_TIMEOUT'] = '0';
    expect((await godwit(['flush'])).stdout).toMatch(/^committed/);
    expect(daemon.calls).toEqual(['flush 0']);
  });

  it('refuses an environment variable that is neither yes nor no', async () => {
    process.env['GODWIT_WAIT'] = 'maybe';
    expect(await godwit(['flush', '--data', data])).toMatchObject({
      code: 2,
      stderr:
        'godwit: GODWIT_WAIT=maybe: one of 1, yes, 0, no is wanted; see `godwit flush --help`\n',
    });
  });

  it.each([
    [['help', 'nonsense'], "unknown command 'nonsense'", 'help'],
    [['--'], 'a command is missing', 'help'],
    [['stauts'], "unknown command 'stauts' (did you mean one of stats, status?)", 'help'],
    [
      ['devices'],
      "unknown command 'devices' (did you mean server devices?)",
      'server devices --help',
    ],
    [
      ['help', 'devices'],
      "unknown command 'devices' (did you mean server devices?)",
      'server devices --help',
    ],
    [
      ['create'],
      "unknown command 'create' (did you mean one of server volume create, server team create, server snapshot create, team create?)",
      'help',
    ],
    [['flush', '--timeout', 'soon'], '--timeout soon: not a number of seconds', 'flush --help'],
    [['down', '--data', ''], '--data: its value is empty', 'down --help'],
    [['pin', ''], 'pin: an argument is empty', 'pin --help'],
    [['link', '--to', '127.0.0.1:0'], '--to: nothing listens on port 0', 'link --help'],
    [
      ['server', '--reader-wait', '1', '--metrics', '99999'],
      '--metrics 99999: not a port from 0 to 65535',
      'server --help',
    ],
    [
      ['server', '--data', 'invite', 'invite', '--hours', '9999999999'],
      '--hours 9999999999: not a whole number from 1 to 999999999',
      'server invite --help',
    ],
    [
      ['conflicts', 'show', '0'],
      '0: not a whole number from 1 to 999999999',
      'conflicts show --help',
    ],
    [
      ['config', 'network.metered.budget', 'x', '--data', '/nowhere'],
      'network.metered.budget: x: not a budget such as 200MB/day or auto',
      'config --help',
    ],
    [
      ['config', 'network.metered.trickle', 'x', '--data', '/nowhere'],
      'network.metered.trickle: x: not a rate such as 64KB/s or auto',
      'config --help',
    ],
    [
      ['restore', '/x', '--at', '2026-02-30'],
      '2026-02-30: not a time such as 30m, 2h, 3d or 2026-01-31 18:30',
      'restore --help',
    ],
  ])(
    'reports the arguments %j as they were written, and the help of their command',
    async (args, words, help) => {
      const run = await godwit(args);
      expect(run).toMatchObject({ code: 2, stderr: `godwit: ${words}; see \`godwit ${help}\`\n` });
    },
  );

  it.each(['bash', 'zsh'])('has completions for %s', async (shell) => {
    const { stdout } = await godwit(['completion', shell]);
    expect(stdout).toContain('"/server/invite") names=""; flags="--json');
    // What is of zsh alone is no bash.
    const script = stdout.replaceAll(/\$\{\([fMQ]\)[^}]*\}/g, '').replaceAll('$#', '$');
    expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' }).stderr).toBe('');
  });
});

describe('godwit status', () => {
  it('prints the status in words and as JSON', async () => {
    await control.start();
    const run = await godwit(['status', '--data', data]);
    expect(run.stdout).toBe(
      '● Everything is synced with 127.0.0.1:1 (1 ms)\n  Folder   /home/ann/Godwit\n',
    );
    const object = objectOf((await godwit(['status', '--data', data, '--json'])).stdout);
    expect(object).toMatchObject({ pid: 4711, state: 'idle', connected: true, queues: {} });
  });

  it('prints where metrics are served, if they are', async () => {
    const url = 'http://127.0.0.1:9464/metrics';
    control.metrics = { ...control.metrics, url };
    await control.start();
    process.env['XDG_STATE_HOME'] = folder;
    expect((await godwit(['status', '--verbose', '--data', data])).stdout).toMatch(
      /\n {2}metrics +http:\/\/127\.0\.0\.1:9464\/metrics\n/,
    );
    expect((await godwit(['up', '--data', data, '--metrics', '0'])).stdout).toContain(
      `metrics: ${url}\n`,
    );
    const other = await godwit(['up', '--data', data, '--metrics', '9465', '--json']);
    expect(objectOf(other.stdout)).toMatchObject({ error: { code: 'already-running' } });
  });

  it('watches the status until it is interrupted', async () => {
    await control.start();
    const interruption = new Interruption();
    const seen = new PassThrough();
    const run = godwitUntil(['status', '--watch', '--data', data], interruption, seen);
    await once(seen, 'data');
    daemon.become({ state: 'syncing', summary: 'Syncing: 1 to send' });
    await once(seen, 'data');
    interruption.interrupt();
    expect(await run).toMatchObject({
      code: 0,
      stdout: 'Everything is synced\nSyncing: 1 to send\n',
    });
  });

  it('fails when there is no daemon', async () => {
    const run = await godwit(['status', '--data', join(folder, 'none')]);
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain('no daemon runs');
  });

  it('fails when the daemon was killed', async () => {
    writeFileSync(
      join(data, 'control.json'),
      JSON.stringify({ socket: join(folder, 's'), pid: 1 }),
    );
    expect((await godwit(['status', '--data', data])).code).toBe(5);
  });
});

describe('a command to a daemon', () => {
  it('prints with `df` how much of the disk is used and for what', async () => {
    await control.start();
    const { code, stdout } = await godwit(['df', '--data', data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^● 116\.4 KB taken, 1\.0 GB free on the disk\n/);
    expect(stdout).toMatch(
      /\n {2}still to be sent +4\.1 KB +1 file\n {2}fetched beside it +8\.2 KB +2 files\n/,
    );
    const json = await godwit(['df', '--data', data, '--json']);
    expect(objectOf(json.stdout)).toEqual(await daemon.diskUse());
  });

  it('prints with `metrics` the text of the daemon', async () => {
    const text = '# HELP x X.\n# TYPE x gauge\nx 1\n';
    control.metrics = fakeMetrics(text);
    await control.start();
    expect(await godwit(['metrics', '--data', data])).toEqual({
      code: 0,
      stdout: text,
      stderr: '',
    });
    const run = await godwit(['metrics', '--data', data, '--json']);
    expect(objectOf(run.stdout)).toEqual({ metrics: text });
  });

  it('pauses, resumes and flushes without output when it is quiet', async () => {
    await control.start();
    for (const args of [['pause'], ['resume'], ['flush'], ['flush', '--wait']]) {
      expect(await godwit([...args, '--data', data, '--quiet'])).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    }
    expect(daemon.calls).toEqual(['pause', 'resume', 'scan', 'hurry', 'flush null']);
  });

  it('pauses with --for and prints the end, as `status` does', async () => {
    await control.start();
    const end = new Date(PAUSED_AT + 30 * 60_000);
    const paused = await godwit(['pause', '--for', '30m', '--data', data]);
    expect(paused).toMatchObject({ code: 0, stderr: '' });
    expect(paused.stdout).toMatch(
      /^paused: changes wait until `godwit resume`, or until 2026-01-02 14:30\n$/,
    );
    const object = objectOf((await godwit(['status', '--data', data, '--json'])).stdout);
    expect(object).toMatchObject({ paused: true, pausedUntil: end.toISOString() });
    const status = await godwit(['status', '--data', data]);
    expect(status.stdout).toMatch(/^● Paused until 2026-01-02 14:30\n/);
    await godwit(['pause', '--data', data]);
    expect((await godwit(['status', '--data', data])).stdout).toMatch(
      /^● Paused; `godwit resume` goes on\n/,
    );
    expect(daemon.calls).toEqual(['pause 1800000', 'pause']);
  });

  it.each(['30', '0s', '721h', '-5m', 'soon', '30 m', '31d', '', '999ms'])(
    'rejects --for %j in one line and pauses nothing',
    async (text) => {
      await control.start();
      const run = await godwit(['pause', `--for=${text}`, '--data', data]);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
      expect(daemon.calls).toEqual([]);
    },
  );

  it('says of a mount point that is confirmed that it is unmounted', async () => {
    await control.start();
    daemon.held = 60;
    daemon.become({ waiting: [{ path: 'a/b', reason: 'missing', unmounts: true }] });
    expect(await godwit(['confirm', '/a', '--data', data])).toMatchObject({
      stdout: '/a/b is unmounted; its volume stays\n59 files and folders are removed everywhere\n',
    });
  });

  it('confirms or rejects missing files and prints what became of them', async () => {
    await control.start();
    daemon.held = 60;
    expect(await godwit(['confirm', '--data', data])).toMatchObject({
      code: 0,
      stdout: '60 files and folders are removed everywhere\n',
    });
    const rejected = await godwit(['reject', '--data', data, '--json']);
    expect(objectOf(rejected.stdout)).toEqual({ rejected: 0 });
    expect(daemon.calls).toEqual(['confirm', 'reject']);
  });

  it('ends a flush with exit code 5 after its time limit', async () => {
    await control.start();
    daemon.flushing = () => Promise.reject(new GodwitError('timed-out'));
    const run = await godwit(['flush', '--wait', '--timeout', '0.5', '--data', data, '--json']);
    expect(run.code).toBe(5);
    expect(objectOf(run.stdout)).toMatchObject({ error: { code: 'timed-out' } });
  });

  it('lists and dismisses conflicts', async () => {
    await control.start();
    const conflict = {
      id: 2,
      when: '2026-01-01T00:00:00Z',
      path: '/a',
      copy: '/a (conflict)',
      kind: 'both changed',
    };
    daemon.become({ conflicts: [conflict] });
    const listed = await godwit(['conflicts', '--data', data, '--json']);
    expect(objectOf(listed.stdout)).toEqual({ conflicts: [conflict] });
    expect((await godwit(['conflicts', '--data', data])).stdout).toContain('/a (conflict)');
    expect((await godwit(['conflicts', 'dismiss', '3', '--data', data])).code).toBe(3);
    expect((await godwit(['conflicts', 'dismiss', '2', '--data', data])).code).toBe(0);
    expect(daemon.calls).toEqual(['dismiss 2']);
  });
});

describe('godwit log', () => {
  it('prints the log without a daemon', async () => {
    mkdirSync(join(data, 'log'));
    const lines = ['one', 'two\u001b[0m'].map((message) =>
      JSON.stringify({ time: 'T', level: 'info', message, count: 3 }),
    );
    writeFileSync(join(data, 'log', 'daemon.log'), `${lines.join('\n')}\n{"cut`);
    const run = await godwit(['log', '-n', '1', '--data', data]);
    expect(run.stdout).toBe('T  info   two\\x1b[0m  count=3\n');
    const object = objectOf((await godwit(['log', '--data', data, '--json'])).stdout);
    expect(object['lines']).toHaveLength(2);
  });

  it('reports a missing log as not found', async () => {
    expect((await godwit(['log', '--data', data])).code).toBe(3);
  });
});
