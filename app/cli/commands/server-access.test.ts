/** `godwit server access` and `godwit server team`: what they print, and what they refuse. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startServer } from '../../../server/main.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { godwit } from '../../../test/support/run-cli.ts';

const silent = (): void => undefined;
const log: Log = { error: silent, warn: silent, info: silent, debug: silent, with: () => log };

let data: string;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'godwit-access-cli-'));
  const listen = { host: '127.0.0.1', port: 0 };
  await (await startServer({ dataDir: data, listen, log })).close();
  await server('user', 'add', 'bob');
});
afterEach(() => rmSync(data, { recursive: true }));

const server = (...args: string[]) => godwit(['server', ...args, '--data', data]);
const may = async () => (await server('access', 'ls', 'home')).stdout;
const seen = async () => (await server('user', 'ls')).stdout;

describe('godwit server access', () => {
  it('gives and takes, and the people of the server see what comes of it', async () => {
    expect(await may()).toBe('who    may\nowner  admin\n');
    const given = await server('access', 'give', 'home', 'bob', 'write');
    expect(given.stdout).toBe('bob may write in home now\n');
    expect(await seen()).toMatch(/^bob .*home \(write\)$/m);
    await server('access', 'give', 'home', 'bob', 'write', '--deny');
    expect(await may()).toBe('who    may\nbob    write\nbob    not write\nowner  admin\n');
    expect(await seen()).not.toMatch(/^bob .*home/m);
    await server('access', 'take', 'home', 'bob', '--deny');
    expect((await server('access', 'take', 'home', 'bob')).stdout).toBe(
      'nothing is given to bob in home any more\n',
    );
    expect(await may()).toBe('who    may\nowner  admin\n');
  });

  it('leaves a volume without an administrator only with --yes', async () => {
    const refused = await server('access', 'give', 'home', 'owner', 'write');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^[^\n]*nobody would be left[^\n]*--yes[^\n]*\n$/);
    expect((await server('access', 'give', 'home', 'owner', 'write', '--yes')).code).toBe(0);
    expect(await may()).toBe('who    may\nowner  write\n');
  });

  it('lets a team in, and forgets a person who is removed', async () => {
    await server('team', 'create', 'crew', '--owner', 'owner');
    await server('team', 'add', 'crew', 'bob');
    await server('access', 'give', 'home', '@crew', 'read');
    await server('access', 'give', 'home', 'bob', 'lookup');
    expect(await seen()).toMatch(/^bob .*home \(read\)$/m);
    expect((await server('team', 'ls', 'crew')).stdout).toMatch(/^@crew +owner +bob$/m);
    await server('team', 'off', 'crew');
    expect(await seen()).not.toMatch(/^bob .*home/m);
    await server('user', 'remove', 'bob');
    expect((await server('team', 'ls')).stdout).toMatch(/^@crew +owner +0 members +switched off$/m);
    expect(await may()).not.toContain('bob');
    await server('user', 'add', 'bob');
    await server('team', 'on', 'crew');
    expect(await seen()).not.toMatch(/^bob .*home/m);
  });

  it.each([
    [['access', 'ls', 'none'], 3, 'there is no volume none'],
    [['access', 'give', 'home', 'zoe', 'read'], 3, 'there is no user zoe'],
    [['access', 'give', 'home', 'bob', 'rw'], 2, 'rw: not a right'],
    [['access', 'give', 'home', 'bob'], 2, 'rights'],
    [['team', 'add', 'crew', 'bob'], 3, 'there is no team @crew'],
    [['team', 'create', 'crew', '--owner', 'zoe'], 3, 'there is no user zoe'],
    [['team'], 2, 'name one of its commands'],
  ])('refuses %j in one line', async (args, code, text) => {
    const result = await server(...args);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(result.stderr.trimEnd()).toMatch(/^[^\n]+$/);
    expect(result.stderr).toContain(text);
  });
});
