import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { announceDaemon } from '../../../shared/control/running-daemons.ts';
import { godwit } from '../../../test/support/run-cli.ts';
import { Context, type FindsDaemon } from '../context.ts';
import { Interruption } from '../interruption.ts';
import { nameAmongOthers } from './choose-daemon.ts';

let base: string;
let state: string;
const before = process.env['XDG_STATE_HOME'];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'godwit-choose-')));
  process.env['XDG_STATE_HOME'] = base;
  state = join(base, 'godwit');
});
afterEach(() => {
  if (before === undefined) delete process.env['XDG_STATE_HOME'];
  else process.env['XDG_STATE_HOME'] = before;
  rmSync(base, { recursive: true });
});

/** A daemon with that data folder, for a folder of the same name; as if it ran. */
function daemon(name: string, runs = true): { data: string; folder: string } {
  const data = name === 'default' ? join(state, 'default') : join(base, 'data', name);
  const folder = join(base, 'folders', name);
  mkdirSync(data, { recursive: true });
  mkdirSync(join(folder, '.godwit'), { recursive: true });
  writeFileSync(join(folder, '.godwit', 'marker.json'), '{}');
  const server = { host: 'files.example.org', port: 4433, fingerprint: 'f'.repeat(64) };
  const more = { deviceName: name, volume: 'home', frontEnd: 'folder' };
  writeFileSync(join(data, 'config.json'), JSON.stringify({ server, folder, ...more }));
  if (runs) announceDaemon(data, state);
  return { data, folder };
}

function chosen(near: readonly string[], finds: FindsDaemon = 'running', data?: string): string {
  const stream = new PassThrough();
  const io = { stdin: stream, stdout: stream, stderr: stream };
  const options = data === undefined ? {} : { data };
  return new Context(io, new Interruption(), options, near, finds).dataDir;
}

it('a path is shown in part where it would fill the screen, and is whole as a word of a command', () => {
  const { data } = daemon('a', false);
  const stream = new PassThrough();
  const io = { stdin: stream, stdout: stream, stderr: stream };
  const context = new Context(io, new Interruption(), { data });
  const long = `/${'long name/'.repeat(300)}end`;
  expect(context.word(long)).toBe(`'${long}'`);
  expect(context.shown(long).length).toBeLessThan(1001);
  expect(context.shown(long)).toMatch(/^'\/long name\/.*\.\.\..*end'$/);
  expect(context.shown('/a/b c')).toBe("'/a/b c'");
});

it('a daemon is named where another one runs', () => {
  const a = daemon('a');
  expect(nameAmongOthers(a.data)).toBe(null);
  daemon('b');
  expect(nameAmongOthers(a.data)).toBe(`of ${a.folder} (--data ${a.data})`);
});

const refused = (near: readonly string[]): unknown => {
  try {
    return chosen(near);
  } catch (error) {
    return error;
  }
};

describe('without --data', () => {
  it('the default data folder is meant when nothing runs', () => {
    const { folder } = daemon('a', false);
    expect(chosen([])).toBe(join(state, 'default'));
    expect(chosen([folder])).toBe(join(state, 'default'));
  });

  it('the one that runs is meant, wherever its data are', () => {
    const { data } = daemon('a');
    expect(chosen([])).toBe(data);
    expect(chosen([base])).toBe(data);
    expect(chosen([], 'either')).toBe(data);
    expect(chosen([], 'usual')).toBe(join(state, 'default'));
    expect(chosen([], 'running', '/elsewhere')).toBe('/elsewhere');
  });

  it('one of an older version is found in the default data folder', () => {
    const { data } = daemon('default', false);
    const control = { socket: '/none', pid: process.pid };
    writeFileSync(join(data, 'control.json'), JSON.stringify(control));
    expect(chosen([])).toBe(data);
    daemon('b');
    expect(refused([])).toMatchObject({ code: 'usage' });
  });

  it('the one of several is meant in whose folder a person is, and what is named goes first', () => {
    const [a, b] = [daemon('a'), daemon('b')];
    expect(chosen([a.folder])).toBe(a.data);
    expect(chosen([join(b.folder, 'not', 'there')])).toBe(b.data);
    expect(chosen([join(b.folder, 'x'), a.folder])).toBe(b.data);
    expect(chosen(['/project/x', a.folder])).toBe(a.data);
    expect(chosen([`${a.folder}-2`, b.folder])).toBe(b.data);
  });

  it('none of several is guessed', () => {
    const [a, b] = [daemon('a'), daemon('b')];
    expect(refused([base])).toMatchObject({
      code: 'usage',
      message:
        `2 daemons run: ${a.folder} (files.example.org:4433): --data ${a.data}, ` +
        `${b.folder} (files.example.org:4433): --data ${b.data}`,
    });
    expect(chosen([base], 'either')).toBe(join(state, 'default'));
  });

  it('the folder of one that does not run is not taken for another', () => {
    const [a, b] = [daemon('a'), daemon('b', false)];
    expect(refused([join(b.folder, 'x')])).toMatchObject({ code: 'not-running' });
    expect(chosen([join(b.folder, 'x')], 'running', a.data)).toBe(a.data);
    const usual = daemon('default', false);
    expect(chosen([usual.folder])).toBe(usual.data);
  });

  it('one whose settings can not be read is named all the same', () => {
    const [a, b] = [daemon('a'), daemon('b')];
    writeFileSync(join(b.data, 'config.json'), 'none');
    expect(chosen([a.folder])).toBe(a.data);
    expect(refused([base])).toMatchObject({
      message: expect.stringContaining(`no folder (no server): --data ${b.data}`),
    });
  });
});

const use = (...args: string[]) => godwit(['use', ...args]);

describe('godwit use', () => {
  it('chooses by the synced folder or the data folder, for commands given outside of folders', async () => {
    const [a, b, away] = [daemon('a'), daemon('b'), daemon('c', false)];
    expect(await use(b.folder)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /\n\* {2}\S+\/b {2}files\.example\.org:4433 {2}--data \S+\/b\n$/,
      ),
    });
    expect(chosen([base])).toBe(b.data);
    expect(chosen([base], 'either')).toBe(b.data);
    expect(chosen([base], 'usual')).toBe(join(state, 'default'));
    expect(chosen([a.folder])).toBe(a.data);
    await use(away.data);
    expect(chosen([base])).toBe(away.data);
    expect((await use()).stdout).toContain('does not run');
    const listed = JSON.parse((await use('--json')).stdout) as object;
    expect(listed).toMatchObject({ chosen: away.data, daemons: [{}, {}, { runs: false }] });
  });

  it('is named where the chosen daemon does not run', async () => {
    daemon('a');
    const { data } = daemon('b', false);
    await use(data);
    const shown = await godwit(['status']);
    expect(shown).toMatchObject({ code: 5, stdout: '' });
    expect(shown.stderr).toContain('no daemon runs on this data folder, which `godwit use` chose');
    expect(shown.stderr).toContain(`start it with \`godwit up --data ${data}\`, or choose another`);
    expect((await godwit(['status', '--data', data])).stderr).toMatch(
      / this data folder; start it with `godwit up --data \S+\/b`\n$/,
    );
    rmSync(data, { recursive: true });
    expect((await godwit(['status'])).stderr).toMatch(
      / chose; choose another one with `godwit use DIR`, or none with `godwit use --forget`\n$/,
    );
  });

  it('chooses by a folder that is inside of a synced one, and not by one that is not there', async () => {
    const [a, b] = [daemon('a'), daemon('b')];
    const inside = join(b.folder, 'letters');
    mkdirSync(inside, { recursive: true });
    expect(await use(inside)).toMatchObject({ code: 0 });
    expect(chosen([base])).toBe(b.data);
    expect(await use(join(a.folder, 'nothing'))).toMatchObject({ code: 3, stdout: '' });
    expect((await use('--forget')).stdout).toMatch(/^none is chosen: give a command in the folder/);
  });

  it('forgets the choice, also one that can not be read', async () => {
    const { data } = daemon('a');
    await use(data);
    writeFileSync(join(state, 'use.json'), '{"data": 7}');
    expect(refused([base])).toMatchObject({
      code: 'usage',
      remedy: expect.stringContaining('--forget'),
    });
    expect((await use('--forget')).stdout).toContain('none is chosen');
    daemon('b');
    expect(refused([base])).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('2 daemons'),
    });
  });

  it('refuses what is no folder of a daemon', async () => {
    daemon('a');
    expect(await use(base)).toMatchObject({ code: 3, stdout: '' });
    expect(await use(base, '--forget')).toMatchObject({ code: 2, stdout: '' });
    expect(chosen([base])).toBe(join(base, 'data', 'a'));
  });
});
