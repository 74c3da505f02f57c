/** `godwit group`, on a file system in memory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { formatGroup, groupOf, parseGroup } from '../../shared/model/file-group.ts';
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;
const files = new Map<string, Fid>();

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
  const { fileSystem: fs } = control.daemon;
  const root = rootOf(1 as VolumeId);
  const src = await fs.mkdir(root, 'src', { mode: 0o755 });
  for (const name of ['a', 'b', 'c']) {
    files.set(name, (await fs.create(src.fid, name, { mode: 0o644 })).fid);
  }
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit(['group', ...args, '--data', control.data]);
const groupIn = async (name: string): Promise<Fid | null> =>
  groupOf(await control.daemon.fileSystem.getattr(files.get(name) as Fid));

describe('godwit group', () => {
  it('makes a group in the given order, folders by name, and lists it', async () => {
    const made = await run('create', 'build', 'src/c', 'src');
    expect(made).toMatchObject({ code: 0, stdout: 'build: made, 3 files\n', stderr: '' });
    expect((await run('ls')).stdout).toMatch(/^build +3 files/);
    expect((await run('ls', 'build')).stdout).toBe('/src/c\n/src/a\n/src/b\n');
    expect(await groupIn('a')).toBe(await groupIn('c'));
    expect(await groupIn('a')).not.toBeNull();
  });

  it('adds and removes files, and ends the group without removing them', async () => {
    await run('create', 'build', 'src/a');
    expect((await run('add', 'build', 'src/b', 'src/a')).stdout).toBe('build: changed, 2 files\n');
    expect((await run('remove', 'build', 'src/a')).stdout).toBe('build: changed, 1 file\n');
    expect(await groupIn('a')).toBeNull();
    expect(await groupIn('b')).not.toBeNull();
    expect((await run('remove', 'build')).stdout).toBe('build: ended, 1 file\n');
    expect(await groupIn('b')).toBeNull();
    expect((await run('ls', '--json')).stdout).toBe('{"groups":[]}\n');
  });

  it('moves a file out of the group that it is in, and names that group', async () => {
    await run('create', 'build', 'src/a', 'src/b');
    const moved = 'a file is in one group: what was in build has left it\n';
    const made = await run('create', 'build2', 'src/a');
    expect(made).toMatchObject({ code: 0, stdout: `build2: made, 1 file\n${moved}` });
    expect((await run('ls', 'build')).stdout).toBe('/src/b\n');
    const second = await groupIn('a');
    await run('remove', 'build');
    expect([await groupIn('a'), await groupIn('b')]).toEqual([second, null]);
    await run('create', 'build', 'src/c');
    expect((await run('add', 'build', 'src/a')).stdout).toMatch(/what was in build2 has left it/);
    expect((await run('remove', 'build2')).stdout).toBe('build2: ended, 0 files\n');
    expect(await groupIn('a')).toBe(await groupIn('c'));
  });

  it('leaves a file to the other group where two devices have put it on a list each', async () => {
    await run('create', 'one', 'src/a');
    await run('create', 'two', 'src/b');
    const { fileSystem: fs } = control.daemon;
    const two = (await groupIn('b')) as Fid;
    const { handle, path } = await fs.open(two, { mode: 'write', truncate: true });
    const both = [files.get('b'), files.get('a')] as Fid[];
    writeFileSync(path, formatGroup({ kind: 'chosen', files: both }));
    await fs.close(handle, {});
    await run('remove', 'one');
    expect(await groupIn('a')).toBe(two);
  });

  it('suggests files that were opened together and makes a group on request', async () => {
    const named = ['a', 'b'].map((name) => ({
      fid: files.get(name) as Fid,
      path: `/src/${name}`,
    }));
    control.daemon.suggested = [
      { volume: 'home', files: named, times: 3 },
      { volume: 'work', files: named, times: 2 },
    ];
    expect((await run('suggest')).stdout).toBe('together 3 times:\n  /src/a\n  /src/b\n');
    expect(await groupIn('a')).toBeNull();
    await run('suggest', '--keep');
    expect((await run('ls')).stdout).toMatch(/^inferred-1 +2 files +inferred/);
    expect(await groupIn('b')).not.toBeNull();
  });

  it('suggests files that the same processes of a trace opened, whatever else happened', async () => {
    const trace = join(control.data, 'trace.jsonl');
    const opens = (at: number, pid: number, names: readonly string[]): object[] =>
      names.map((name) => ({ at, pid, op: 'open', path: `/home/ann/src/${name}` }));
    const lines = [
      { 'godwit-trace': 1, source: 'test' },
      ...opens(1, 7, ['a', 'b', 'c', 'gone']),
      { at: 2, pid: 8, op: 'open', path: '/etc/hosts' },
      ...opens(3, 9, ['c', 'a', 'b', 'gone']),
      ...opens(4, 8, ['a']),
    ];
    writeFileSync(trace, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await run('suggest', '--trace', trace)).toMatchObject({
      code: 0,
      stdout: 'nothing yet\n',
    });
    const apart = await run('suggest', '--trace', trace, '--root', '/home/ann');
    expect(apart.stdout).toBe('nothing yet\n');
    writeFileSync(
      trace,
      lines
        .slice(0, -1)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    const told = await run('suggest', '--keep', '--trace', trace, '--root', '/home/ann/');
    expect(told.stdout).toBe('inferred-1 2 times:\n  /src/a\n  /src/b\n  /src/c\n');
    expect(await groupIn('c')).not.toBeNull();
    const again = await run('suggest', '--trace', trace, '--root', '/home/ann');
    expect(again.stdout).toBe('nothing yet\n');
  });

  it.each([
    [['create', 'x'], 2],
    [['suggest', '--root', '/x'], 2],
    [['suggest', '--trace', '/nothing/at/all'], 3],
    [['create', 'a/b', 'src'], 2],
    [['create', 'x', 'nothing'], 3],
    [['create', 'x', '../src'], 2],
    [['add', 'none', 'src'], 3],
    [['ls', 'none'], 3],
  ])('refuses %j in one line', async (args, code) => {
    const refused = await run(...args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toMatch(/^godwit: [^\n]+\n$/);
    expect((await run('ls', '--json')).stdout).toBe('{"groups":[]}\n');
  });
});

describe('the list of a group', () => {
  it.each([
    ['', null],
    ['godwit group other\n', null],
    ['godwit group chosen\nnot a fid\n', null],
    ['godwit group chosen', { kind: 'chosen', files: [] }],
    ['godwit group inferred\r\n1.2.3\n\n# a note\n1.2.3\n', { kind: 'inferred', files: ['1.2.3'] }],
  ])('is parsed from %j as %j', (text, group) => {
    expect(parseGroup(text)).toEqual(group);
  });
});
