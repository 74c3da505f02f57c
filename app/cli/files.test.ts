import {
  linkSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { Attributes } from '../../shared/ports/file-system.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import type { FakeDaemon } from '../../test/support/fake-daemon.ts';
import { godwit, type CliRun } from '../../test/support/run-cli.ts';

const root = rootOf(1 as VolumeId);

let control: FakeControl;
let folder: string;
let data: string;
let daemon: FakeDaemon;

beforeEach(async () => {
  control = new FakeControl();
  ({ folder, data, daemon } = control);
  await control.start();
});

afterEach(() => control.close());

const run = (args: readonly string[], stdin = ''): Promise<CliRun> =>
  godwit([...args, '--data', data], stdin);

async function find(...names: string[]): Promise<Attributes> {
  let found = await daemon.fileSystem.getattr(root);
  for (const name of names) found = await daemon.fileSystem.lookup(found.fid, name);
  return found;
}

async function contentsOf(fid: Fid): Promise<string> {
  const { handle, path } = await daemon.fileSystem.open(fid, { mode: 'read' });
  const text = readFileSync(path, 'utf8');
  await daemon.fileSystem.close(handle, null);
  return text;
}

describe('godwit put', () => {
  it('uploads a tree with modes, times, symlinks, hard links and empty folders', async () => {
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'sub/empty'), { recursive: true });
    writeFileSync(join(tree, 'sub/run.sh'), '#!/bin/sh\n');
    chmodSync(join(tree, 'sub/run.sh'), 0o750);
    writeFileSync(join(tree, 'größe'), 'ü');
    linkSync(join(tree, 'größe'), join(tree, 'sub/same'));
    symlinkSync('../größe', join(tree, 'sub/link'));
    lutimesSync(join(tree, 'sub/link'), 5, 5);
    execFileSync('touch', ['-d', '@1000000000.123456789', join(tree, 'größe')]);
    utimesSync(join(tree, 'sub/empty'), 7, 7);
    utimesSync(join(tree, 'sub'), 9, 9);
    chmodSync(join(tree, 'sub'), 0o700);

    const { code, stdout } = await run(['put', tree, '/copy', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ path: '/copy', items: 7, bytes: 14, skipped: [] });

    expect(await find('copy', 'sub')).toMatchObject({ mode: 0o700, mtime: '9000000000' });
    expect(await find('copy', 'sub', 'empty')).toMatchObject({
      kind: 'directory',
      mtime: '7000000000',
    });
    expect(await find('copy', 'sub', 'run.sh')).toMatchObject({ mode: 0o750 });
    expect(await find('copy', 'größe')).toMatchObject({ mtime: '1000000000123456789', links: 2 });
    expect((await find('copy', 'sub', 'same')).fid).toBe((await find('copy', 'größe')).fid);
    expect(await find('copy', 'sub', 'link')).toMatchObject({
      kind: 'symlink',
      target: '../größe',
      mtime: '5000000000',
    });
    expect(await contentsOf((await find('copy', 'größe')).fid)).toBe('ü');
    expect(daemon.fileSystem.handles.size).toBe(0);
  });

  it('updates an existing file and keeps its fid', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'one');
    await run(['put', file, '/f']);
    const { fid } = await find('f');
    writeFileSync(file, 'two');
    chmodSync(file, 0o600);
    expect((await run(['put', file, '/f'])).code).toBe(0);
    expect(await find('f')).toMatchObject({ fid, mode: 0o600 });
    expect(await contentsOf(fid)).toBe('two');
  });

  it('keeps the name when the target is a folder', async () => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub/file'), 'x');
    await run(['put', join(folder, 'sub'), '/']);
    await run(['put', join(folder, 'sub/file'), 'sub/']);
    expect((await run(['ls', 'sub'])).stdout).toBe('file\n');
  });

  it('reads standard input', async () => {
    expect((await run(['put', '-', '/from stdin'], 'piped\n')).code).toBe(0);
    expect(await contentsOf((await find('from stdin')).fid)).toBe('piped\n');
  });

  it.each(['/ein/', 'ein/', '/made/new/'])(
    'refuses standard input for the folder %s, since it has no name',
    async (path) => {
      expect(await run(['put', '-', path], 'text')).toMatchObject({
        ...{ code: 2, stdout: '' },
        stderr: `godwit: ${path}: names a folder, and standard input has no name; give the name too, such as ${path}NAME\n`,
      });
    },
  );

  it.each(['/here/', 'here/'])('puts a file with a name into the folder %s', async (path) => {
    const file = join(folder, 'named');
    mkdirSync(join(folder, 'empty'));
    writeFileSync(file, 'text');
    await run(['put', join(folder, 'empty'), '/here']);
    expect((await run(['put', file, path])).stdout).toMatch(/^\/here\/named: /);
  });

  it('leaves out what no volume can hold and reports it', async () => {
    mkdirSync(join(folder, 'tree'));
    execFileSync('mkfifo', [join(folder, 'tree/pipe')]);
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'tree/')), Buffer.from([0xff])]), '');
    writeFileSync(join(folder, 'tree/file'), '');
    const { code, stdout, stderr } = await run(['put', join(folder, 'tree'), '/t']);
    expect(code).toBe(1);
    expect(stdout).toBe('/t: 2 items, 0 B\n');
    expect(stderr.split('\n').sort()).toMatchObject([
      '',
      expect.stringMatching(/pipe: left out: neither a file/),
      expect.stringMatching(/left out: it is not valid UTF-8/),
    ]);
  });

  it.each([
    [['put', '/no/such/source', '/x'], 3, 'no such file'],
    [['put', '-', '/no/such/folder'], 3, '/no/such: there is no such'],
    [['put', '-', '/'], 2, 'names a folder'],
    [['put', '-', '/a/../../b'], 2, 'not in the synced folder'],
    [['put', '-', '/x', '--volume', 'other'], 3, 'no such volume'],
  ])('reports what is wrong with the arguments %j', async (args, code, words) => {
    const result = await run(args);
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(/^godwit: [^\n]*\n$/);
    expect(result.stderr).toContain(words);
  });

  it('refuses to replace a folder by a file', async () => {
    await daemon.fileSystem.mkdir(root, 'd', { mode: 0o755 });
    const result = await run(['put', '-', '/d'], 'x');
    expect(result).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('godwit cat', () => {
  beforeEach(async () => {
    await run(['put', '-', '/one'], '1\n');
    await run(['put', '-', '/two'], '2\n');
    const { fid } = await daemon.fileSystem.mkdir(root, 'd', { mode: 0o755 });
    await daemon.fileSystem.symlink(fid, 'to one', '../one', {});
    await daemon.fileSystem.symlink(root, 'loop', 'loop', {});
    await daemon.fileSystem.symlink(root, 'out', '../etc/passwd', {});
    await daemon.fileSystem.symlink(root, 'absolute', '/etc/passwd', {});
    await daemon.fileSystem.symlink(root, 'way', 'd', {});
  });

  it('prints files in order and leaves none open', async () => {
    expect((await run(['cat', '/two', 'one', '/two'])).stdout).toBe('2\n1\n2\n');
    expect(daemon.fileSystem.handles.size).toBe(0);
  });

  it('prints one object with --json', async () => {
    const { stdout } = await run(['cat', '/two', 'one', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      files: [
        { path: '/two', size: 2, contents: Buffer.from('2\n').toString('base64') },
        { path: '/one', size: 2, contents: Buffer.from('1\n').toString('base64') },
      ],
    });
    expect(daemon.fileSystem.handles.size).toBe(0);
  });

  it('follows symlinks inside the volume', async () => {
    expect((await run(['cat', '/d/to one', '/way/to one'])).stdout).toBe('1\n1\n');
  });

  it.each([
    ['/nothing', 3],
    ['/loop', 3],
    ['/out', 3],
    ['/absolute', 3],
    ['/d', 1],
    ['/one/below', 3],
  ])('reports %s in one line, with exit code %d', async (path, code) => {
    const result = await run(['cat', path]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(/^godwit: \/[^\n]*; [^\n]*\n$/);
    const json = await run(['cat', '/one', path, '--json']);
    expect(JSON.parse(json.stdout)).toHaveProperty('error.code');
    expect(daemon.fileSystem.handles.size).toBe(0);
  });
});

describe('godwit status with a path', () => {
  it('prints why a file is not synced', async () => {
    daemon.left['a/x.o'] = 'ignored by /a/.godwitignore line 1: *.o';
    expect(await run(['status', '/a/x.o'])).toMatchObject({
      code: 0,
      stdout: '/a/x.o: not synced: ignored by /a/.godwitignore line 1: *.o\n',
    });
    expect(JSON.parse((await run(['status', '/a/x.o', '--json'])).stdout)).toEqual({
      ...{ volume: 'home', path: '/a/x.o', state: 'not synced' },
      reason: 'ignored by /a/.godwitignore line 1: *.o',
    });
    expect((await run(['status', '/a/other'])).code).toBe(3);
  });

  it('prints what prevents a path from being as it is elsewhere', async () => {
    await run(['put', '-', '/b'], 'four');
    daemon.left['b'] = 'a link is in its place';
    expect((await run(['status', '/b'])).stdout).toContain('not as here: a link is in its place\n');
  });
});

describe('godwit ls', () => {
  beforeEach(async () => {
    await run(['put', '-', '/b'], 'four');
    await daemon.fileSystem.mkdir(root, 'A', { mode: 0o700 });
    await daemon.fileSystem.symlink(root, 'c', 'b', {});
  });

  it('lists names in order', async () => {
    expect((await run(['ls'])).stdout).toBe('A/\nb\nc\n');
    expect((await run(['ls', '/b'])).stdout).toBe('b\n');
  });

  it('lists all details with -l', async () => {
    await daemon.fileSystem.flush();
    daemon.fileSystem.connected = false;
    await daemon.fileSystem.mkdir(root, 'B', { mode: 0o700 });
    const lines = (await run(['ls', '-l', '/'])).stdout.split('\n');
    expect(lines[0]).toMatch(/^drwx------ +1 +- +\d{4}-\d\d-\d\d \d\d:\d\d +committed +- +A$/);
    expect(lines[1]).toMatch(/^drwx------ +1 +- .* queued +- +B$/);
    expect(lines[2]).toMatch(/^-rw-r--r-- +1 +4 B .* committed +here +b$/);
    expect(lines[3]).toMatch(/^lrwxrwxrwx .* c -> b$/);
  });

  it('does not call a file synced whose contents have not come', async () => {
    await daemon.fileSystem.create(root, 'e', { mode: 0o644 });
    await daemon.fileSystem.flush();
    const lines = (await run(['ls', '-l', '/'])).stdout.split('\n');
    expect(lines[3]).toMatch(/^-rw-r--r-- +1 +- .* no contents +- +e$/);
    const why = 'its contents have not come from the laptop that made it';
    expect((await run(['status', '/e'])).stdout).toBe(`/e: not synced: ${why}\n`);
    daemon.become({ unstored: { files: 1, path: 'e' } });
    expect(await run(['flush', '--wait'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`e: ${why}`),
    });
  });

  it('lists entries as JSON', async () => {
    const { stdout } = await run(['ls', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      volume: 'home',
      path: '/',
      entries: [{ name: 'A', kind: 'directory' }, { name: 'b', size: 4 }, { name: 'c' }],
    });
  });

  it('reports a missing path as not found', async () => {
    expect((await run(['ls', '/x'])).code).toBe(3);
  });
});
