/** `godwit config`, on a daemon that keeps what it is told. */
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeConfig, type DaemonConfig } from '../../shared/control/config.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit, godwitAtTerminal } from '../../test/support/run-cli.ts';

const CONFIG: DaemonConfig = {
  server: { host: 'old', port: 1, fingerprint: 'ab'.repeat(32) },
  folder: '/home/ann/Godwit',
  frontEnd: 'folder',
  deviceName: 'laptop',
  volume: 'home',
};

let control: FakeControl;

beforeEach(async () => {
  control = new FakeControl();
  await control.start();
});
afterEach(() => control.close());

const run = (...args: string[]) => godwit(['config', ...args, '--data', control.data]);
const changes = () =>
  control.daemon.calls.filter((call) => !call.endsWith(' {}') && call !== 'networks');

describe('godwit config', () => {
  it('lists all settings as they can be entered again', async () => {
    const told = JSON.parse((await run('--json')).stdout) as { settings: Record<string, string> };
    expect(told.settings).toEqual({
      'writeback.policy': 'async',
      'writeback.delay': '0',
      'writeback.dirty-limit': 'none',
      'cache.minimum': '256MB',
      'cache.maximum': 'auto',
      'cache.reserve': 'auto',
      prefetch: 'on',
      'limit.upload': 'none',
      'limit.download': 'none',
      'writer.invalidations': 'async',
      'writer.store-priorities': 'differentiated',
      'reader.away': 'committed',
      'reader.validations': 'together',
      'network.metered.budget': '200MB/day',
      'network.metered.trickle': '64KB/s',
      'network.metered.pause': 'no',
    });
    for (const [key, value] of Object.entries(told.settings)) {
      expect(await run(key, value)).toMatchObject({ code: 0, stdout: `${value}\n`, stderr: '' });
    }
    expect((await run()).stdout).toMatch(/^writeback\.delay +0 +default +seconds that /m);
  });

  it('lists the switches for experiments only when asked, or when one is changed', async () => {
    const experiments = ['writer.invalidations', 'writer.store-priorities', 'reader.validations'];
    const listed = async (...args: string[]): Promise<string[]> =>
      (await run(...args)).stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
    expect(await listed()).not.toEqual(expect.arrayContaining([expect.stringMatching(/^writer/)]));
    expect(await listed()).toContain('reader.away');
    expect(await listed()).not.toContain('reader.validations');
    expect((await listed('--experiments')).filter((key) => key !== '')).toEqual(experiments);
    await run('reader.validations', 'each');
    expect(await listed()).toContain('reader.validations');
    expect(await listed()).not.toContain('writer.invalidations');
    writeConfig(control.data, CONFIG, { syncDirectory: () => undefined });
    expect(await listed()).not.toContain('scheduling');
    writeConfig(
      control.data,
      { ...CONFIG, scheduling: 'uniform' },
      { syncDirectory: () => undefined },
    );
    expect(await listed()).toContain('scheduling');
  });

  it('marks the values that are the default', async () => {
    const marked = async (key: string): Promise<boolean> => {
      const line = (await run()).stdout.split('\n').find((each) => each.startsWith(`${key} `));
      return / default +[a-z]/.test(line ?? '');
    };
    for (const key of ['network.metered.budget', 'network.metered.trickle', 'writeback.delay']) {
      expect({ key, marked: await marked(key) }).toEqual({ key, marked: true });
      const one = JSON.parse((await run(key, '--json')).stdout) as object;
      expect(one).toMatchObject({ isDefault: true });
    }
    await run('network.metered.budget', '50MB/day');
    expect(await marked('network.metered.budget')).toBe(false);
    await run('network.metered.budget', 'auto');
    expect((await run('network.metered.budget')).stdout).toBe('200MB/day\n');
  });

  it('shows what is open in the rule of a network as auto', async () => {
    await run('network.train.budget', 'none');
    expect((await run('network.train.budget')).stdout).toBe('auto\n');
  });

  it.each([
    ['writeback.policy', 'logging', 'logging'],
    ['writeback.delay', '1.5', '1.5'],
    ['writeback.dirty-limit', '1000KB', '1MB'],
    ['writeback.dirty-limit', '1025B', '1025B'],
    ['writeback.dirty-limit', '0', 'none'],
    ['cache.minimum', '1GB', '1GB'],
    ['cache.maximum', '500000001B', '500000001B'],
    ['cache.maximum', '1GiB', '1073741824B'],
    ['cache.maximum', 'auto', 'auto'],
    ['cache.reserve', '2GB', '2GB'],
    ['cache.reserve', 'auto', 'auto'],
    ['prefetch', 'off', 'off'],
    ['limit.upload', '500KB/s', '500KB/s'],
    ['limit.upload', '1.5MB', '1500KB/s'],
    ['limit.upload', '10000B/s', '10KB/s'],
    ['limit.download', '1mib/s', '1048576B/s'],
    ['limit.download', '9999999999B/s', '9999999999B/s'],
    ['limit.download', '10GB/s', '10GB/s'],
    ['writer.invalidations', 'sync', 'sync'],
    ['writer.invalidations', 'no', 'no'],
    ['writer.store-priorities', 'uniform', 'uniform'],
    ['reader.away', 'try-again', 'try-again'],
    ['reader.validations', 'each', 'each'],
    ['network.metered.budget', '50MB', '50MB/day'],
    ['network.Phone of Ann v1.2.trickle', '64KB/s', '64KB/s'],
    ['network.gateway:10.0.0.1.pause', 'yes', 'yes'],
    ['network.gateway:10.0.0.1.metered', 'no', 'no'],
  ])('sets %s to %s and keeps it', async (key, value, shown) => {
    expect(await run(key, value)).toMatchObject({ code: 0, stdout: `${shown}\n` });
    expect(await run(key)).toMatchObject({ code: 0, stdout: `${shown}\n` });
    expect(changes()).toHaveLength(1);
  });

  it('shows the defaults of all settings that are unset', async () => {
    const first = JSON.parse((await run('--json')).stdout) as { settings: Record<string, string> };
    const said = {
      ...{ 'writeback.policy': 'sync', 'writeback.delay': '3', 'writeback.dirty-limit': '1MB' },
      ...{
        'cache.minimum': '5B',
        'cache.maximum': '50GB',
        'cache.reserve': '1GB',
        prefetch: 'off',
      },
      ...{ 'limit.upload': '10KB/s', 'limit.download': '3MB/s' },
      ...{ 'writer.invalidations': 'no', 'writer.store-priorities': 'uniform' },
      ...{ 'reader.away': 'try-again', 'reader.validations': 'each' },
      ...{ 'network.metered.budget': '5MB/day' },
      ...{ 'network.metered.trickle': '1KB/s', 'network.metered.pause': 'yes' },
    };
    expect(Object.keys(said)).toEqual(Object.keys(first.settings));
    for (const [key, value] of Object.entries(said)) {
      expect(await run(key, value)).toMatchObject({ code: 0, stdout: `${value}\n` });
      const usual = first.settings[key];
      expect(await run('--unset', key)).toMatchObject({ code: 0, stdout: `${usual}\n` });
    }
    await run('network.train.metered', 'yes');
    expect((await run('--unset', 'network.train.metered')).stdout).toBe('auto\n');
  });

  it.each([
    ['server', 'files.example.org:4433', 'server-address files.example.org:4433'],
    ['server', '[::1]:4433', 'server-address [::1]:4433'],
    ['folder', '/home/ann/Elsewhere', 'folder-place /home/ann/Elsewhere'],
    ['folder', 'below', `folder-place ${resolve('below')}`],
    ['device', ' Ann’s laptop', 'rename-device Ann’s laptop'],
  ])('changes a part of the configuration: %s to %s', async (key, value, call) => {
    writeConfig(control.data, CONFIG, { syncDirectory: () => undefined });
    const before =
      key === 'server' ? 'old:1' : key === 'device' ? CONFIG.deviceName : CONFIG.folder;
    expect((await run(key)).stdout).toBe(`${before}\n`);
    expect(await run(key, value)).toMatchObject({ code: 0, stderr: '' });
    expect(changes()).toEqual([call]);
  });

  it('reports why the daemon refuses a place', async () => {
    writeConfig(control.data, CONFIG, { syncDirectory: () => undefined });
    control.daemon.placesRefused = new GodwitError('in-the-way', '/full: it is not empty');
    expect(await run('folder', '/full')).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: 'godwit: /full: it is not empty; move it away, or choose another folder\n',
    });
  });

  it('changes only one key of a network rule', async () => {
    await run('network.train.budget', '5MB/day');
    await run('network.train.pause', 'yes');
    expect((await run('network.train.budget')).stdout).toBe('5MB/day\n');
    expect((await run('network.other.budget')).stdout).toBe('auto\n');
  });

  it.each([
    [['writeback.policy', 'fast']],
    [['writer.invalidations', 'yes']],
    [['writer.store-priorities', 'high']],
    [['writer.store-priority', 'uniform']],
    [['reader.away', 'wait']],
    [['reader.validations', 'none']],
    [['writeback.delay', '-1']],
    [['writeback.delay', '90000']],
    [['writeback.dirty-limit', 'much']],
    [['writeback.dirty-limit', '50']],
    [['cache.minimum', '50']],
    [['cache.reserve', '50']],
    [['network.train.budget', '50']],
    [['network.train.budget', '50/day']],
    [['network.metered.trickle', '50/s']],
    [['cache.minimum', 'much']],
    [['cache.reserve', 'none']],
    [['prefetch', 'yes']],
    [['limit.upload', '500']],
    [['limit.upload', '0KB/s']],
    [['limit.upload', '9.999KB/s']],
    [['limit.upload', 'auto']],
    [['limit.upload', '5Mbit/s']],
    [['limit.download', '11GB/s']],
    [['limit.download', '1MB/day']],
    [['limit.download', '1e6B/s']],
    [['network.metered.budget', '5MB/week']],
    [['network.metered.metered', 'yes']],
    [['network.train.pause', 'maybe']],
    [['network..pause', 'yes']],
    [['network.train.colour', 'red']],
    [['volume', 'other']],
    [['device', 'a/b']],
    [['device', '--unset']],
    [['server', 'nowhere']],
    [['server', ':4433']],
    [['server', 'host:0']],
    [['server', 'a b:1']],
    [['nothing', '1']],
    [['nothing']],
    [['nothing', '--unset']],
    [['folder', '--unset']],
    [['server', '--unset']],
    [['prefetch', 'on', '--unset']],
    [['network.pause']],
  ])('refuses %j in one line and changes nothing', async (args) => {
    const refused = await run(...args);
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(refused.stderr).toMatch(/^godwit: [^\n]+\n$/);
    expect(refused.stderr).toContain(args[0]);
    expect(changes()).toEqual([]);
  });
});

it.each([
  ['nope', 'nope: no such setting; `godwit config` lists them'],
  [
    'cache.maxmum',
    'cache.maxmum: no such setting (did you mean cache.maximum?); `godwit config` lists them',
  ],
  ['volume', 'volume is set by `godwit up`; see `godwit help up`'],
])('a change of %s is refused with one remedy', async (key, line) => {
  expect(await run(key, 'x')).toMatchObject({ code: 2, stdout: '', stderr: `godwit: ${line}\n` });
});

describe('a bound on what is here', () => {
  const PREVIEW = {
    here: { files: 14, bytes: 35e6 },
    goes: { files: 12, bytes: 29e6 },
    away: { files: 0, bytes: 0 },
  };
  const WHAT = 'his leaves 2 of 14 files (6.0 MB) here and makes 12 placeholders (29.0 MB)';
  const atTerminal = (typed: string, ...args: string[]) =>
    godwitAtTerminal(['config', ...args, '--data', control.data], typed);

  it.each([
    ['9', 'a size without a unit'],
    ['5000000000', 'a size without a unit'],
    ['0', 'less than 100.0 MB'],
    ['9MB', 'less than 100.0 MB'],
    ['99999999B', 'less than 100.0 MB'],
    ['0B', 'less than 100.0 MB'],
  ])('is refused as %s', async (value, why) => {
    const { code, stdout, stderr } = await run('cache.maximum', value);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`godwit: cache.maximum: ${value}: ${why}`);
    expect(changes()).toEqual([]);
  });

  it('takes nothing away until somebody agrees', async () => {
    control.daemon.previewed = PREVIEW;
    for (const typed of ['n\n', '\n', '', 'yes please\n']) {
      const { code, stdout, stderr } = await atTerminal(typed, 'cache.maximum', '1GB');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`T${WHAT}. Go on? [y/N] `);
      expect(stderr).toMatch(/nothing was changed\n$/);
    }
    expect(changes()).toEqual([]);
    for (const typed of ['y\n', 'YES\n']) {
      expect(await atTerminal(typed, 'cache.maximum', '1GB')).toMatchObject({
        ...{ code: 0, stdout: '1GB\n' },
      });
    }
    expect(changes()).toHaveLength(2);
  });

  it.each([
    ['cache.maximum', '1GB', '1GB'],
    ['cache.reserve', '2GB', '2GB'],
    ['cache.minimum', '1GB', '1GB'],
  ])('needs --yes without a terminal: %s', async (key, value, shown) => {
    control.daemon.previewed = PREVIEW;
    const { code, stderr } = await run(key, value);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `godwit: ${key}: t${WHAT}; nothing was changed; give --yes if that is meant\n`,
    );
    expect((await atTerminal('y\n', key, value, '--json')).code).toBe(2);
    expect(changes()).toEqual([]);
    expect(await run(key, value, '--yes')).toMatchObject({ code: 0, stdout: `${shown}\n` });
    expect(await run(key, value, '-y')).toMatchObject({ code: 0, stderr: '' });
  });

  it('needs no word when all files may stay', async () => {
    control.daemon.previewed = { ...PREVIEW, goes: { files: 0, bytes: 0 } };
    expect(await run('cache.maximum', '1GB')).toMatchObject({ code: 0, stderr: '' });
  });

  it('can not be below the minimum of the cache', async () => {
    await run('cache.minimum', '2GB');
    const { code, stderr } = await run('cache.maximum', '1GB', '--yes');
    expect({ code, isUsage: stderr.startsWith('godwit: ') }).toEqual({ code: 2, isUsage: true });
  });

  it('says what becomes of a minimum that nobody has set', async () => {
    const lower = 'cache.minimum is 100.0 MB with it, and was 256.0 MB\n';
    expect(await run('cache.maximum', '100MB')).toMatchObject({ stdout: `100MB\n${lower}` });
    expect(await run('cache.maximum', '100MB')).toMatchObject({ stdout: '100MB\n' });
    const higher = 'cache.minimum is 256.0 MB with it, and was 100.0 MB\n';
    expect(await run('--unset', 'cache.maximum')).toMatchObject({ stdout: `auto\n${higher}` });
    expect(await run('cache.maximum', '256MB')).toMatchObject({ stdout: '256MB\n' });
    expect(await run('cache.minimum', '1KB')).toMatchObject({ stdout: '1KB\n' });
  });

  it('says when it ends that placeholders stay, and how their files come', async () => {
    const away = { files: 12, bytes: 29e6 };
    control.daemon.previewed = {
      here: { files: 2, bytes: 6e6 },
      goes: { files: 0, bytes: 0 },
      away,
    };
    const stays = '12 placeholders (29.0 MB) stay; `godwit prefetch /` fetches them\n';
    expect(await run('cache.maximum', '300MB')).toMatchObject({ stdout: `300MB\n${stays}` });
    expect(await run('--unset', 'cache.maximum')).toMatchObject({ stdout: `auto\n${stays}` });
    const json = await run('--unset', 'cache.maximum', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      key: 'cache.maximum',
      value: 'auto',
      isDefault: true,
    });
    expect(await run('prefetch', 'off')).toMatchObject({ stdout: 'off\n' });
  });
});
