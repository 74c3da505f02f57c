/** Paths as people have them, and commands without --data: two real daemons of one user on this machine. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { endProcess, type Run } from '../support/bench.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const CLI = join(import.meta.dirname, '..', '..', 'app', 'cli', 'main.ts');
/** Larger than what is never replaced by a placeholder. */
const LARGE = 'x'.repeat(10_000);

const bench = twoLaptops(async ({ a, b }) => {
  mkdirSync(join(a.folder, 'project', 'docs'), { recursive: true });
  writeFileSync(join(a.folder, 'project', 'a b.txt'), 'one');
  writeFileSync(join(a.folder, 'project', 'clip 1.bin'), LARGE);
  writeFileSync(join(a.folder, 'project', 'README.md'), 'of the project');
  writeFileSync(join(a.folder, 'README.md'), 'of the root');
  await bench.flush(a, b);
  await bench.until(b.data, ({ unsettled }) => unsettled.commits === 0);
});
const { a, b } = bench;
let elsewhere: string;
beforeAll(() => {
  elsewhere = bench.path('home');
});

const inProject = join(a.folder, 'project');
const run = (cwd: string, ...args: string[]): Promise<Run> => bench.godwit(args, { cwd });

async function out(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(cwd, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function folderOf(cwd: string, ...args: string[]): Promise<unknown> {
  return (JSON.parse(await out(cwd, 'status', '--json', ...args)) as { folder: string }).folder;
}

describe('with two daemons, a command without --data', () => {
  it('names both and how to choose', async () => {
    const { code, stdout, stderr } = await run(elsewhere, 'status');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `godwit: 2 daemons run: ${a.folder} (${bench.home.address}): --data ${a.data}, ` +
        `${b.folder} (${bench.home.address}): --data ${b.data}; ` +
        'choose one with --data DIR or `godwit use DIR`, or give the command in its folder\n',
    );
  });

  it('speaks to the daemon in whose folder it is given', async () => {
    expect(await folderOf(inProject)).toBe(a.folder);
    expect(await folderOf(b.folder)).toBe(b.folder);
    symlinkSync(inProject, join(elsewhere, 'work'));
    expect(await folderOf(join(elsewhere, 'work'))).toBe(a.folder);
    expect(await folderOf(inProject, '--data', b.data)).toBe(b.folder);
  });

  it('speaks to the daemon whose file it names', async () => {
    const object = JSON.parse(
      await out(elsewhere, 'status', '--json', join(b.folder, 'README.md')),
    ) as { path: string; state: string };
    expect(object).toMatchObject({ path: '/README.md', state: 'synced' });
    const [from, to] = [join(a.folder, 'README.md'), join(b.folder, 'README.md')];
    const { code, stderr } = await run(elsewhere, 'pin', from, to);
    expect(code).toBe(2);
    expect(stderr).toContain(`${to}: it is in another synced folder, ${b.folder}`);
  });
});

describe('a path', () => {
  it('may be one of the disk, from the working directory, or from the root', async () => {
    for (const path of ['README.md', join(inProject, 'README.md'), '/project/README.md']) {
      expect(await out(inProject, 'cat', path)).toBe('of the project');
    }
    expect(await out(inProject, 'cat', '../README.md')).toBe('of the root');
    expect(await out(inProject, 'cat', 'home:/README.md')).toBe('of the root');
    expect(await out(bench.path('ann'), 'cat', 'Godwit/project/a b.txt')).toBe('one');
    expect(await out(inProject, 'ls', '.')).toContain('a b.txt\n');
  });

  it('can be given to a command as it was printed', async () => {
    await bench.godwit(['pause'], { cwd: a.folder });
    writeFileSync(join(inProject, 'a b.txt'), 'two');
    await bench.until(a.data, ({ queues }) => queues.data.updates > 0);
    const listed = await out(a.folder, 'queue');
    const [word = ''] = /'\/project.*'/.exec(listed) ?? [];
    expect(inShell(elsewhere, `godwit status ${word} --data ${a.data}`)).toContain(word);
    await bench.godwit(['resume'], { cwd: a.folder });
    await bench.flush(a, b);
  });

  it('has a suggestion in its error when it is misspelt', async () => {
    const { code, stderr } = await run(inProject, 'versions', 'REDAME.md');
    expect(code).toBe(3);
    expect(stderr).toContain('(did you mean /project/README.md?)');
  });

  it('is refused with the name of the folder when it lies outside', async () => {
    for (const path of ['/etc/passwd', join(elsewhere, 'notes.txt'), '../../x']) {
      const { code, stderr } = await run(inProject, 'versions', path);
      expect(code).toBe(2);
      expect(stderr).toContain(`${path}: it is not in the synced folder, ${a.folder};`);
    }
  });

  it('means the removed file when one was there', async () => {
    rmSync(join(inProject, 'README.md'));
    await bench.flush(a);
    expect(await out(inProject, 'versions', 'README.md')).toMatch(/^removed .* by ann\n/);
    expect(await out(inProject, 'versions', '--removed', '.')).toContain(' /project/README.md\n');
    expect(await out(inProject, 'restore', 'README.md')).toBe(
      '/project/README.md is there again\n',
    );
    await bench.flush(a);
    expect(readFileSync(join(inProject, 'README.md'), 'utf8')).toBe('of the project');
  });

  it('means the file when a placeholder is named, whose text has a command that works', async () => {
    await out(inProject, 'evict', 'clip 1.bin');
    await bench.flush(a);
    const placeholder = join(inProject, 'clip 1.bin.godwit');
    const [command = ''] =
      /godwit prefetch .*?(?= {2})/.exec(readFileSync(placeholder, 'utf8')) ?? [];
    expect(command).toBe("godwit prefetch 'clip 1.bin'");
    expect(await out(inProject, 'status', 'clip 1.bin.godwit')).toContain(
      "'/project/clip 1.bin': synced\nits contents are not here\n",
    );
    inShell(inProject, command);
    expect(readFileSync(join(inProject, 'clip 1.bin'), 'utf8')).toBe(LARGE);
    expect(existsSync(placeholder)).toBe(false);
  });
});

/** As a person does, with `godwit` on the PATH. */
function inShell(cwd: string, line: string): string {
  const bin = bench.path('bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'godwit'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(join(bin, 'godwit'), 0o755);
  const PATH = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
  return execFileSync('sh', ['-c', line], { cwd, env: { ...bench.env, PATH }, encoding: 'utf8' });
}

describe('after one of two daemons was killed', () => {
  it('the other one is found from anywhere, and what the killed one left is gone', async () => {
    const { pid } = await bench.status(b.data);
    await endProcess(pid, 'SIGKILL');
    expect(await folderOf(elsewhere)).toBe(a.folder);
    expect(await folderOf('/')).toBe(a.folder);
    expect(readdirSync(bench.path('state', 'godwit', 'running'))).toHaveLength(1);
  });

  it('a command in the folder of the killed one does not reach the other one', async () => {
    for (const args of [['status'], ['evict', 'README.md'], ['down']]) {
      const { code, stderr } = await run(b.folder, ...args);
      expect(code).toBe(5);
      expect(stderr).toContain(`${b.folder}: no daemon runs for this synced folder`);
    }
    const named = await run(b.folder, 'evict', 'README.md', '--data', a.data);
    expect(named.stderr).toContain(`it is in another synced folder, ${b.folder}`);
  });

  it('a command in a moved folder is refused with what to do', async () => {
    const moved = bench.path('ann', 'Moved');
    renameSync(a.folder, moved);
    const { code, stderr } = await run(
      join(moved, 'project'),
      'evict',
      'README.md',
      '--data',
      a.data,
    );
    expect(code).toBe(2);
    expect(stderr).toContain(`it is in another synced folder, ${moved}`);
    expect(stderr).toContain('`godwit config folder DIR` if you have moved the folder');
    expect(await out(elsewhere, 'config', 'folder', moved)).toBe(`${moved}\n`);
    expect(await out(join(moved, 'project'), 'cat', 'README.md')).toBe('of the project');
  });

  it('nothing is left of one that is ended in good order', async () => {
    expect(await out(elsewhere, 'down')).toBe('the daemon has ended\n');
    expect(readdirSync(bench.path('state', 'godwit', 'running'))).toEqual([]);
    const { code, stderr } = await run(elsewhere, 'status');
    expect(code).toBe(5);
    expect(stderr).toContain('no daemon runs on this data folder');
  });
});
