/** `godwit versions`, `restore` and `undo`, on a daemon that only writes down what it is asked for. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit, godwitAtTerminal } from '../../test/support/run-cli.ts';
import { parsePastTime, parsePauseLength, parseTime } from './arguments.ts';

const VERSION = {
  ...{ number: 7, when: Date.UTC(2026, 0, 2, 3, 4, 5), by: 'laptop', size: 1234 },
  ...{ present: true, kept: true },
};

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  control.daemon.versions = { path: '/a/doc', removed: null, versions: [VERSION] };
  control.daemon.removed = { path: '/', removed: [] };
  control.daemon.report = { done: [], failed: [] };
  await control.start();
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit([...args, '--data', control.data]);

describe('godwit versions', () => {
  it('prints a table, or an object with ISO times', async () => {
    const shown = await run('versions', '/a/doc');
    expect(control.daemon.calls).toEqual(['versions home a/doc']);
    expect(shown.stdout).toMatch(
      /^version +written +by +size\n +7 +2026-01-0\d [\d:]+ +laptop +1\.2 KB +as it is now\n$/,
    );
    const object = JSON.parse((await run('versions', 'a/doc', '--json')).stdout) as object;
    expect(object).toMatchObject({
      path: '/a/doc',
      versions: [{ when: '2026-01-02T03:04:05.000Z' }],
    });
  });

  it('asks for the version of a time or of a snapshot', async () => {
    await run('versions', '/doc', '--at', 'yesterday');
    await run('versions', '/doc', '--at', '2026-01-02T03:04:05Z');
    expect(control.daemon.calls).toEqual([
      'versions home doc {"snapshot":"yesterday"}',
      `versions home doc {"at":${Date.UTC(2026, 0, 2, 3, 4, 5)}}`,
    ]);
    const refused = await run('versions', '-r', '/', '--at', 'yesterday');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
  });

  it('names for a folder what can be asked of one, with its path', async () => {
    const folder = new GodwitError('is-a-directory', '/my docs: that is a folder');
    control.daemon.past.versions = () => Promise.reject(folder);
    expect(await run('versions', '/my docs')).toMatchObject({
      code: 1,
      stderr:
        "godwit: /my docs: that is a folder; `godwit versions -r '/my docs'` lists what changed in it, and `godwit versions --removed '/my docs'` what is gone\n",
    });
  });

  it('prints for a folder what was removed from it', async () => {
    const shown = await run('versions', '--removed', '/');
    expect(control.daemon.calls).toEqual(['removed home ']);
    // Of folders below it nothing is known from that answer.
    expect(shown.stdout).toMatch(/^nothing was removed from this folder itself\n/);
    expect(shown.stdout).toContain(': godwit versions --removed -r /\n');
    expect(shown.stdout).toContain(': godwit undo --list\n');
  });
});

describe('snapshots', () => {
  const entry = { size: 1234, mode: 0o644, when: Date.UTC(2026, 0, 2), kept: true };

  it('are listed, and a folder is listed as one shows it', async () => {
    expect((await run('snapshots')).stdout).toBe('no snapshots\n');
    const when = Date.UTC(2026, 0, 2, 12);
    control.daemon.snapshots = { snapshots: [{ name: 'yesterday', when, commit: 7 }] };
    expect((await run('snapshots')).stdout).toMatch(/^name +made\n *yesterday +2026-01-02/);
    control.daemon.listed = {
      path: '/a',
      entries: [
        { ...entry, name: 'doc', kind: 'file' },
        { ...entry, name: 'sub', kind: 'directory' },
      ],
    };
    control.daemon.calls.splice(0);
    expect((await run('ls', '/a', '--at', 'yesterday')).stdout).toBe('doc\nsub/\n');
    const long = await run('ls', '/a', '-l', '--at', '2026-01-02T03:04:05Z');
    expect(long.stdout).toMatch(/1\.2 KB/);
    expect(control.daemon.calls).toEqual([
      'list home a {"snapshot":"yesterday"}',
      `list home a {"at":${Date.UTC(2026, 0, 2, 3, 4, 5)}}`,
    ]);
    await run('restore', '/a/doc', '--at', 'yesterday');
    const order = '{"path":["a","doc"],"version":null,"at":null,"to":null,"snapshot":"yesterday"}';
    expect(control.daemon.calls.at(-1)).toBe(`restore home ${order}`);
  });
});

describe('a file that another laptop removed', () => {
  const burst = { volume: 'home', files: 100, since: '2026-01-02T03:04:05Z' };

  it('is brought back by the number or the name of that laptop', async () => {
    control.daemon.become({
      othersRemoved: [
        { ...burst, device: 2, by: 'laptop-b', from: 7, to: 9 },
        { ...burst, device: 3, by: null, from: 20, to: 30 },
        { ...burst, device: 2, by: 'laptop-b', from: 40, to: 50 },
      ],
    });
    const removed = (device: number, from: number, to: number): string =>
      `restore home {"path":[],"version":null,"at":null,"to":null,"removed":{"device":${device},"from":${from},"to":${to}}}`;
    for (const name of ['2', 'laptop-b']) {
      control.daemon.calls.splice(0);
      expect(await run('restore', '/', '--removed-by', name)).toMatchObject({ stderr: '' });
      expect(control.daemon.calls.filter((call) => call.startsWith('restore'))).toEqual([
        ...[removed(2, 7, 9), removed(2, 40, 50)],
      ]);
    }
    const none = await run('restore', '/', '--removed-by', 'laptop-c');
    expect(none).toMatchObject({ code: 3, stdout: '' });
    expect(none.stderr).toMatch(/^godwit: no laptop laptop-c [^\n]+\n$/);
  });
});

describe('godwit restore and undo', () => {
  it('take no version of the program, as who packs it sets it, for one of a file', async () => {
    process.env['GODWIT_VERSION'] = '0.1.0';
    try {
      expect(await run('restore', 'doc')).toMatchObject({ code: 0 });
    } finally {
      delete process.env['GODWIT_VERSION'];
    }
    expect(control.daemon.calls).toEqual([
      'restore home {"path":["doc"],"version":null,"at":null,"to":null}',
    ]);
  });

  it('pass their arguments to the daemon', async () => {
    control.daemon.report = { done: [{ path: '/doc', as: 'made', to: '/new' }], failed: [] };
    const shown = await run('restore', 'doc', '--version', '7', '--to', '/new');
    expect(shown).toMatchObject({ code: 0, stdout: '/doc is there again, as /new\n' });
    await run('restore', 'doc', '--at', '2026-01-02T03:04:05Z');
    await run('undo');
    await run('undo', '--last', '3', '--dry-run', '--volume', 'work');
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    expect(control.daemon.calls).toEqual([
      'restore home {"path":["doc"],"version":7,"at":null,"to":["new"]}',
      `restore home {"path":["doc"],"version":null,"at":${at},"to":null}`,
      'undo home {"last":1} false',
      'undo work {"last":3} true',
    ]);
  });

  it('report each thing that was left alone in a line, and by the exit code', async () => {
    control.daemon.report = {
      done: [{ path: '/a', as: 'contents', to: '/a' }],
      failed: [
        { path: '/b', code: 'changed-since', message: 'another device has changed it' },
        { path: '/c', code: 'version-gone', message: 'not kept' },
      ],
    };
    const shown = await run('undo', '--since', '2h');
    expect(shown.code).toBe(1);
    expect(shown.stdout).toBe('/a has its older contents again\n');
    expect(shown.stderr).toBe(
      'godwit: /b is left as it is: another device has changed it\n' +
        'godwit: /c is left as it is: not kept\n',
    );
    const object = await run('undo', '--json');
    expect(object.code).toBe(1);
    expect(object.stderr).toBe('');
    expect(JSON.parse(object.stdout)).toMatchObject({ failed: [{ path: '/b' }, { path: '/c' }] });
  });

  it('list what can be taken back, and take one of it', async () => {
    const when = new Date(2026, 0, 2, 3, 4, 5).getTime();
    const act = { when, to: null, things: 1 } as const;
    control.daemon.acted = {
      acts: [
        { ...act, act: 70, kind: 'removed', path: '/project', things: 1593 },
        { ...act, act: 65, kind: 'renamed', path: '/a b', to: '/c' },
        { ...act, act: 9, kind: 'wrote', path: '/doc' },
      ],
    };
    control.daemon.report = { done: [{ path: '/doc', as: 'contents', to: '/doc' }], failed: [] };
    expect((await run('undo', '--list')).stdout).toBe(
      'What this device did, the last first:\n' +
        '  70  2026-01-02 03:04:05  removed    /project (1,593 things)\n' +
        "  65  2026-01-02 03:04:05  renamed    '/a b' to /c\n" +
        '   9  2026-01-02 03:04:05  overwrote  /doc\n',
    );
    expect((await run('undo', '9')).code).toBe(0);
    const { report } = control.daemon;
    control.daemon.report = { done: [], failed: [] };
    const unknown = await run('undo', '1', '--yes');
    expect(unknown).toMatchObject({ code: 3, stdout: '' });
    expect(unknown.stderr).toMatch(/^godwit: 1: nothing that can be taken back has that number; /);
    control.daemon.report = report;
    const terminal = (typed: string, ...args: string[]) =>
      godwitAtTerminal(['undo', ...args, '--data', control.data], typed);
    control.daemon.calls.splice(0);
    expect(await terminal('\n')).toMatchObject({ code: 1, stdout: '' });
    expect(await terminal('7\n')).toMatchObject({ code: 3, stdout: '' });
    expect(await terminal('seven\n')).toMatchObject({ code: 2, stdout: '' });
    expect(control.daemon.calls).toEqual(['acts home 10', 'acts home 10', 'acts home 10']);
    control.daemon.calls.splice(0);
    const picked = await terminal('y\n', '65');
    expect(picked).toMatchObject({ code: 0, stdout: '/doc has its older contents again\n' });
    expect(picked.stderr).toContain('/doc would have its older contents again\nGo on? [y/N] ');
    expect(control.daemon.calls).toEqual([
      ...['undo home {"act":65} true', 'undo home {"act":65} false'],
    ]);
    expect(await terminal('n\n', '--last', '2')).toMatchObject({ code: 1, stdout: '' });
    expect(await terminal('', '--last', '2', '--yes')).toMatchObject({ code: 0 });
  });

  it('print the first of many things, and with --verbose all', async () => {
    const done = Array.from({ length: 1593 }, (_, index) => ({
      ...({ path: `/p/${index}`, as: 'made', to: `/p/${index}` } as const),
    }));
    control.daemon.report = { done, failed: [] };
    const { stdout } = await run('undo', '--dry-run');
    expect(stdout.split('\n')).toHaveLength(12);
    expect(stdout).toMatch(
      /^\/p\/0 would be there again\n[^]*\n\.\.\. and 1,583 more \(--verbose\)\n$/,
    );
    expect((await run('undo', '--dry-run', '--verbose')).stdout.split('\n')).toHaveLength(1594);
  });

  it.each([
    [['undo', '--last', '1', '--since', '2h']],
    [['undo', '--list', '--last', '1']],
    [['undo', '1', '--since', '2h']],
    [['undo', '0']],
    [['undo', 'x']],
    [['undo', '--last', '0']],
    [['undo', '--since', 'yesterday']],
    [['restore', 'doc', '--version', '1', '--at', '2h']],
    [['restore', '/', '--removed-by', 'laptop-b', '--at', '2h']],
    [['restore', 'doc', '--at', '2026-13-45']],
    [['restore', '../doc']],
    [['restore']],
    [['versions']],
  ])('reject %j as a usage error: one line, exit code 2', async (args) => {
    const shown = await run(...args);
    expect(shown.code).toBe(2);
    expect(shown.stderr).toMatch(/^godwit: [^\n]+\n$/);
    expect(control.daemon.calls).toEqual([]);
  });
});

it.each([
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['3d', 259_200_000],
  ['1w', 604_800_000],
])('the time %s is that long ago', (text, ms) => {
  expect(parseTime(text, 10 ** 12)).toBe(10 ** 12 - ms);
});

it('a time that is to come is refused for versions and undone acts', () => {
  const now = Date.UTC(2026, 0, 31, 12);
  expect(parsePastTime('3d', now)).toBe(now - 3 * 86_400_000);
  expect(() => parsePastTime('2030-01-01', now)).toThrow('2030-01-01: lies in the future');
});

it.each([
  ['90s', 90_000],
  ['1.5h', 5_400_000],
  ['30d', 2_592_000_000],
])('a pause of %s is read as %i milliseconds', (text, ms) => {
  expect(parsePauseLength(text)).toBe(ms);
});

it('a pause of more than 30 days is refused with the bounds', () => {
  expect(() => parsePauseLength('31d')).toThrow('from 1s to 30d');
});

it('a date and time is read in the zone of the machine or in its own', () => {
  expect(parseTime('2026-01-31 18:30', 0)).toBe(new Date(2026, 0, 31, 18, 30).getTime());
  expect(parseTime('2026-01-31', 0)).toBe(new Date(2026, 0, 31).getTime());
  expect(parseTime('2026-01-31T18:30:00+02:00', 0)).toBe(Date.UTC(2026, 0, 31, 16, 30));
});
