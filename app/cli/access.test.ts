/** `godwit access` and `godwit team`, on a daemon that decides as a server does, for ada. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid } from '../../shared/model/fid.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit([...args, '--data', control.data]);

describe('godwit access', () => {
  it('lists who may do what, and what you may', async () => {
    const list = 'who  may\nada  admin\nyou may admin\n';
    expect((await run('access')).stdout).toBe(list);
    expect((await run('access', 'ls', '--volume', 'home')).stdout).toBe(list);
    expect(JSON.parse((await run('access', '--json')).stdout)).toEqual({
      volume: 'home',
      own: 'admin',
      entries: [{ kind: 'person', name: 'ada', negative: false, rights: 'admin' }],
    });
  });

  it('says of a folder that shows nothing why that is, and lists no other volume', async () => {
    const { fileSystem } = control.daemon;
    const root = (await fileSystem.volumes())[0]?.root as Fid;
    await fileSystem.mkdir(root, 'trip', { mode: 0o755 });
    const lookup = fileSystem.lookup.bind(fileSystem);
    const mounted = { volume: null, why: 'it shows a volume that this laptop may not see' };
    fileSystem.lookup = async (dir, name) => {
      const found = await lookup(dir, name);
      return { ...found, mounted: { at: found.fid, ...mounted } };
    };
    expect(await run('access', '/trip')).toMatchObject({
      stdout: '',
      stderr: `godwit: /trip shows no volume: ${mounted.why}; \`godwit shares\` lists what you may see\n`,
    });
  });

  it('gives and takes, by usual names of rights and by single ones', async () => {
    expect((await run('access', 'give', 'bob', 'read')).stdout).toBe('bob may read in home now\n');
    await run('access', 'give', 'bob', 'lookup,read,insert');
    await run('access', 'give', 'bob', 'delete', '--deny');
    expect((await run('access')).stdout).toMatch(/^bob +lookup,read,insert\nbob +not delete\n/m);
    expect((await run('access', 'take', 'bob')).stdout).toBe(
      'nothing is given to bob in home any more\n',
    );
    await run('access', 'take', 'bob', '--deny');
    expect((await run('access')).stdout).not.toContain('bob');
  });

  it('names the flag with which a row of the other kind is taken', async () => {
    await run('access', 'give', 'bob', 'delete', '--deny');
    expect(await run('access', 'take', 'bob')).toMatchObject({
      code: 3,
      stderr: 'godwit: nothing is given to bob in home; take what is denied with --deny\n',
    });
    expect((await run('access', 'take', 'bob', '--deny')).stdout).toBe(
      'nothing is denied to bob in home any more\n',
    );
    expect((await run('access')).stdout).not.toContain('bob');
  });

  it.each([
    [['access', 'give', 'zoe', 'read'], 3, 'there is no user zoe'],
    [['access', 'give', '@crew', 'read'], 3, 'there is no team @crew'],
    [['access', 'give', 'bob', 'all'], 2, 'all: not a right'],
    [['access', 'give', '@', 'read'], 2, '@: not the name of a team'],
    [['share', '/new', '--with', ':read'], 2, 'nobody is named'],
    [['access', 'give', 'bob'], 2, 'rights'],
    [['access', 'take', 'bob'], 3, 'bob is not on the list of home'],
    [['access', 'take', 'ada'], 1, 'nobody would be left who may change who may use a volume'],
    [['access', '--volume', 'none'], 3, 'none: there is no such volume'],
    [['access', 'off'], 3, 'off: there is no such file or folder'],
    [['team', 'create', '-x'], 2, '-x'],
    [['team', 'create', 'a b'], 2, 'the name of a team has letters'],
    [['team', 'add', 'crew', 'bob'], 3, 'there is no team @crew'],
  ])('refuses %j in one line', async (args, code, text) => {
    const result = await run(...args);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(result.stderr.trimEnd()).toMatch(/^[^\n]+$/);
    expect(result.stderr).toContain(text);
  });
});

describe('godwit team', () => {
  it('makes a team, puts people in and out, switches it and ends it', async () => {
    expect((await run('team')).stdout).toBe('no teams\n');
    expect((await run('team', 'create', 'crew')).stdout).toBe('the team @crew was made\n');
    expect((await run('team', 'add', '@crew', 'bob')).stdout).toBe(
      'bob is in the team @crew now\n',
    );
    expect((await run('team', 'off', 'crew')).stdout).toBe('the team @crew is switched off\n');
    expect((await run('team', 'ls')).stdout).toMatch(/^@crew +ada +1 member +switched off$/m);
    expect((await run('team', 'ls', 'crew')).stdout).toMatch(/^@crew +ada +bob +switched off$/m);
    await run('team', 'on', 'crew');
    expect((await run('team', 'drop', 'crew', 'bob')).stdout).toBe(
      'bob is not in the team @crew now\n',
    );
    expect((await run('team', 'remove', 'crew')).stdout).toBe('the team @crew was removed\n');
    expect((await run('team')).stdout).toBe('no teams\n');
  });

  it('is given access as a person is', async () => {
    await run('team', 'create', 'crew');
    await run('access', 'give', '@crew', 'write');
    expect((await run('access')).stdout).toMatch(/^@crew +write$/m);
    await run('team', 'remove', 'crew');
    expect((await run('access')).stdout).not.toContain('crew');
  });
});
