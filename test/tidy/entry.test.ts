/** build/entry.mjs: signals go down, the exit code comes up, and nobody is left behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT } from '../../build/node-path.mjs';

/** Says its process id and waits; asked to end, it says so and ends with 7. */
const PROGRAM = `
const patience: number = 60_000;
process.on('SIGTERM', () => { process.stdout.write('asked\\n'); process.exit(7); });
setTimeout(() => {}, patience);
process.stdout.write('ready ' + process.argv.slice(2).join(' ') + '\\n');
`;
const ENTRY_MODULE = pathToFileURL(join(ROOT, 'build', 'entry.mjs')).href;

let folder = '';
let program = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-entry-'));
  program = join(folder, 'program.ts');
  writeFileSync(program, PROGRAM);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const inherited = { ...process.env };
  delete inherited['npm_lifecycle_event'];
  return spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...inherited, ...env },
  });
}

/** As a child of its own, the way it goes where a process can't become another one. */
function startAsChild(): ChildProcess {
  const script = `const { asChild } = await import(${JSON.stringify(ENTRY_MODULE)});
    asChild(process.execPath, ${JSON.stringify(program)}, ['a'], process.env);`;
  return start(process.execPath, ['--input-type=module', '-e', script]);
}

/** Waits for words among all that the process, and whoever has its output, has said so far. */
function listen(child: ChildProcess): (word: string) => Promise<void> {
  let heard = '';
  const waiting: Array<() => void> = [];
  child.stdout?.on('data', (chunk) => {
    heard += String(chunk);
    for (const wake of waiting.splice(0)) wake();
  });
  return async (word) => {
    while (!heard.includes(word)) await new Promise<void>((resolve) => waiting.push(resolve));
  };
}

describe('an entry point', () => {
  test("forwards SIGTERM to its child and returns the child's exit code", async () => {
    const parent = startAsChild();
    const hears = listen(parent);
    const exit = once(parent, 'exit');
    await hears('ready a');
    parent.kill('SIGTERM');
    await hears('asked');
    expect(await exit).toEqual([7, null]);
  });

  test('ends as a child when its parent is killed', async () => {
    const parent = startAsChild();
    const hears = listen(parent);
    await hears('ready a');
    parent.kill('SIGKILL');
    await hears('asked');
  });

  test('takes the place of the process that starts it', async () => {
    const run = join(ROOT, 'build', 'run.mjs');
    const child = start(process.execPath, [run, relative(ROOT, program), 'b']);
    const hears = listen(child);
    const exit = once(child, 'exit');
    await hears('ready b');
    child.kill('SIGTERM');
    expect(await exit).toEqual([7, null]);
  });

  test('ends under npm when the shell above it is killed', async () => {
    const run = join(ROOT, 'build', 'run.mjs');
    const line = `"${process.execPath}" "${run}" "${relative(ROOT, program)}" c; true`;
    const shell = start('sh', ['-c', line], { npm_lifecycle_event: 'start' });
    const hears = listen(shell);
    await hears('ready c');
    shell.kill('SIGKILL');
    await hears('asked');
  });

  test('reports a missing program in one line', async () => {
    const child = spawn(process.execPath, [join(ROOT, 'build', 'run.mjs'), 'no/such.ts'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const chunks: string[] = [];
    child.stderr.on('data', (chunk) => chunks.push(String(chunk)));
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(chunks.join('')).toBe('godwit: there is no no/such.ts.\n');
  });
});
