/** A run of the tests that is cut short leaves nothing behind, whatever its tests have started and however it is cut. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hasEnded, statOf } from '../../build/left-in-group.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const STARTED = ['daemon', 'stripped', 'grandchild', 'holder', 'test'];

/** What is started goes into a session of its own, as a daemon does; one has no environment. All ignore SIGTERM. The holder has something to put away. */
const TEST = `
const { spawn } = require('node:child_process');
const { writeFileSync, renameSync } = require('node:fs');
const tell = (name, pid) => {
  writeFileSync(__dirname + '/' + name + '.new', String(pid));
  renameSync(__dirname + '/' + name + '.new', __dirname + '/pids/' + name + '-' + pid);
};
const stays = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6);';
const apart = { detached: true, stdio: 'ignore' };
it('hangs', async () => {
  const started = [
    ['daemon', ['-e', stays], {}],
    ['stripped', ['-e', stays], { env: {}, detached: false }],
    ['grandchild', ['-e', 'require("node:child_process").spawn(process.execPath, ["-e", ' + JSON.stringify(stays) + '], { detached: true, stdio: "ignore" });' + stays], {}],
  ];
  for (const [name, args, more] of started) tell(name, spawn(process.execPath, args, { ...apart, ...more }).pid);
  const putsAway = { stdio: ['pipe', 'ignore', 'ignore'], cwd: __dirname, env: { ...process.env, PUTS_AWAY_AFTER_TESTS: '1' } };
  tell('holder', spawn('sh', ['-c', 'cat; mkdir put-away'], { detached: true, ...putsAway }).pid);
  tell('test', process.pid);
  await new Promise(() => setInterval(() => {}, 1e6));
}, 1e9);
`;

let folder: string;
let runner: ChildProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-cut-'));
  mkdirSync(join(folder, 'pids'));
  writeFileSync(join(folder, 'hangs.test.js'), TEST);
});

afterEach(() => {
  runner?.kill('SIGKILL');
  for (const { pid } of pids()) {
    if (!hasEnded(statOf(pid))) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true });
});

function pids(): Array<{ name: string; pid: number }> {
  return readdirSync(join(folder, 'pids')).map((file) => {
    const [name = '', pid] = file.split('-');
    return { name, pid: Number(pid) };
  });
}

/** Resolves when its test runs, with the process of Jest. */
async function begin(): Promise<ChildProcess> {
  const config = JSON.stringify({ rootDir: folder, transform: {} });
  const args = [join(ROOT, 'build', 'run-tests.mjs'), '--config', config, '--runInBand'];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  runner = child;
  while (pids().length < STARTED.length) {
    expect(child.exitCode).toBeNull();
    await turn();
  }
  return child;
}

async function allGone(): Promise<void> {
  while (pids().some(({ pid }) => !hasEnded(statOf(pid)))) await turn();
}

const cuts: ReadonlyArray<[string, (runner: ChildProcess, jest: number) => void]> = [
  ['the runner is killed', (child) => child.kill('SIGKILL')],
  ['the runner is asked to end', (child) => child.kill('SIGTERM')],
  ['Jest itself is killed', (_, jest) => process.kill(jest, 'SIGKILL')],
];

describe('a test run that ends', () => {
  it.each(cuts)('leaves no process behind when %s', async (_, cut) => {
    const child = await begin();
    expect(
      pids()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...STARTED].sort());
    const ended = once(child, 'exit');
    cut(child, pids().find(({ name }) => name === 'test')?.pid ?? 0);
    await ended;
    await allGone();
    expect(existsSync(join(folder, 'put-away'))).toBe(true);
  });
});

/** What `npm test` runs beside the tests: a set-up and checks that do not end, in a folder with its scripts. */
const NPM_TEST = [
  'end-of-run',
  'end-with-parent',
  'jest',
  'left-in-group',
  'node-path',
  'test',
  'time-limit',
];
const CHECKS = {
  setup: ['build', 'setup.mjs'],
  types: ['node_modules', '@typescript', 'native', 'bin', 'tsc'],
  lint: ['node_modules', 'eslint', 'bin', 'eslint.js'],
  format: ['node_modules', 'prettier', 'bin', 'prettier.cjs'],
  spelling: ['node_modules', 'cspell', 'bin.mjs'],
  grammar: ['build', 'grammar.mjs'],
};

const staysAs = (name: string): string => `
process.on('SIGTERM', () => {});
setInterval(() => {}, 1e6);
void import('node:fs').then(({ writeFileSync }) =>
  writeFileSync(${JSON.stringify(join(folder, 'pids'))} + '/${name}-' + process.pid, ''));
`;

describe('the checks before the tests', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'end with a run that %s ends',
    async (signal) => {
      mkdirSync(join(folder, 'build'));
      for (const script of NPM_TEST) {
        copyFileSync(join(ROOT, 'build', `${script}.mjs`), join(folder, 'build', `${script}.mjs`));
      }
      for (const [name, path] of Object.entries(CHECKS)) {
        mkdirSync(join(folder, ...path, '..'), { recursive: true });
        writeFileSync(join(folder, ...path), staysAs(name));
      }
      const child = spawn(process.execPath, [join(folder, 'build', 'test.mjs')], {
        stdio: 'ignore',
      });
      runner = child;
      while (pids().length < Object.keys(CHECKS).length) {
        expect(child.exitCode).toBeNull();
        await turn();
      }
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      await allGone();
    },
  );
});

/** A set-up whose npm does not end. */
describe('the installation of packages', () => {
  it('ends with a set-up that is killed', async () => {
    const scripts = ['setup', 'end-of-run', 'left-in-group', 'node-path'].map(
      (name) => `${name}.mjs`,
    );
    mkdirSync(join(folder, 'build', 'setup'), { recursive: true });
    for (const name of readdirSync(join(ROOT, 'build', 'setup'))) scripts.push(join('setup', name));
    for (const name of scripts)
      copyFileSync(join(ROOT, 'build', name), join(folder, 'build', name));
    for (const name of ['package.json', 'package-lock.json']) {
      copyFileSync(join(ROOT, name), join(folder, name));
    }
    writeFileSync(
      join(folder, 'npm-cli.js'),
      `import(${JSON.stringify(join(folder, 'npm.mjs'))});`,
    );
    writeFileSync(join(folder, 'npm.mjs'), staysAs('npm'));
    const env = {
      ...process.env,
      npm_execpath: join(folder, 'npm-cli.js'),
      npm_node_execpath: process.execPath,
    };
    const child = spawn(process.execPath, [join(folder, 'build', 'setup.mjs')], {
      stdio: 'ignore',
      env,
    });
    runner = child;
    while (pids().length === 0) {
      expect(child.exitCode).toBeNull();
      await turn();
    }
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await allGone();
  });
});

/** What CI calls, in a folder where setting up does nothing and the tests hang. */
describe('the command that CI calls', () => {
  const closing = (text: string): string => text.trim().split('\n').at(-1) ?? '';

  function ci(npm: string): ChildProcess {
    for (const name of ['.ci', 'build', 'bin']) mkdirSync(join(folder, name));
    copyFileSync(join(ROOT, '.ci', 'run'), join(folder, '.ci', 'run'));
    writeFileSync(join(folder, 'build', 'install-prerequisites.sh'), '', { mode: 0o755 });
    writeFileSync(join(folder, 'bin', 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
    const child = spawn('bash', [join(folder, '.ci', 'run')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    runner = child;
    return child;
  }

  async function run(child: ChildProcess): Promise<{ code: unknown; said: string }> {
    let said = '';
    child.stdout?.on('data', (part) => (said += String(part)));
    const [code] = (await once(child, 'close')) as [unknown];
    return { code, said };
  }

  it.each([
    ['print it', 'echo "12 passed, 0 failed"', 0, '12 passed, 0 failed'],
    ['fail', 'echo "11 passed, 1 failed"; exit 1', 1, '11 passed, 1 failed'],
    ['end before they can', 'echo "no"; exit 3', 3, '0 passed, 1 failed'],
  ])('closes with the summary line of tests that %s', async (_, npm, code, line) => {
    const ended = await run(ci(npm));
    expect([ended.code, closing(ended.said)]).toEqual([code, line]);
  });

  it('forwards the signal to end and waits for the tests', async () => {
    const child = ci('trap "echo put away; exit 0" TERM; echo begun; while :; do sleep 0.05; done');
    const ended = run(child);
    if (child.stdout !== null) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const { code, said } = await ended;
    expect(said).toContain('put away');
    expect([code, closing(said)]).toEqual([143, '0 passed, 1 failed']);
  });
});
