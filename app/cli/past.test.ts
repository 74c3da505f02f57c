/** `godwit versions`, `restore` and `undo`, on a daemon that only writes down what it is asked for. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';
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

  it('prints for a folder what was removed from it', async () => {
    const shown = await run('versions', '--removed', '/');
    expect(control.daemon.calls).toEqual(['removed home ']);
    expect(shown.stdout).toBe('nothing was removed from it\n');
  });
});

describe('godwit restore and undo', () => {
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

  it.each([
    [['undo', '--last', '1', '--since', '2h']],
    [['undo', '--last', '0']],
    [['undo', '--since', 'yesterday']],
    [['restore', 'doc', '--version', '1', '--at', '2h']],
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
