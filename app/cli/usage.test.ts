/** Words, addresses and flags that a command does not take, and what counts where two of them speak; and `up` beside a daemon that runs. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeConfig, type DaemonConfig } from '../../shared/control/config.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import type { FakeDaemon } from '../../test/support/fake-daemon.ts';
import { godwit } from '../../test/support/run-cli.ts';

const CONFIG: DaemonConfig = {
  server: { host: 'old', port: 1, fingerprint: 'ab'.repeat(32) },
  folder: '/home/ann/Godwit',
  frontEnd: 'folder',
  deviceName: 'laptop',
  volume: 'home',
};

let control: FakeControl;
let folder: string;
let data: string;
let daemon: FakeDaemon;

beforeEach(() => {
  control = new FakeControl();
  ({ folder, data, daemon } = control);
});

afterEach(async () => {
  await control.close();
  delete process.env['GODWIT_DATA'];
  delete process.env['GODWIT_SERVER_DATA'];
});

describe('godwit up beside a daemon that runs', () => {
  const up = async () => {
    await control.start();
    writeConfig(data, CONFIG, { syncDirectory: () => undefined });
    return (await godwit(['up', '--data', data])).stdout;
  };

  it.each([
    ['device-revoked', /^running already: .*\(not connected to [^:]+:\d+: .*no longer admits/],
    ['wrong-fingerprint', /^running already: .*\(not connected to [^:]+:\d+: /],
    ['server-unreachable', /^running already: .*\(offline: [^ ]+ is away\)/],
  ] as const)('gives the reason %s for which it is not connected', async (code, line) => {
    const { message, remedy } = new GodwitError(code);
    daemon.become({ connected: false, errors: [{ code, message, remedy, path: null }] });
    expect(await up()).toMatch(line);
  });
});

describe('the command line', () => {
  it.each([
    [['down', 'x'], "down: the argument 'x' is one too many", 'down'],
    [['ls', '/', 'y'], "ls: the argument 'y' is one too many", 'ls'],
    [
      ['network', 'nope'],
      "network: there is no command 'nope'; there are ls, set, forget",
      'network',
    ],
    [['group', 'nope'], /^group: there is no command 'nope'; there are create, add, /, 'group'],
    [['group'], /^group: name one of its commands: create, add, /, 'group'],
    [
      ['bench', 'nope'],
      /^bench: there is no command 'nope'; there are ingest, mount, link, /,
      'bench',
    ],
    [['lab', 'nope'], /^lab: there is no command 'nope'; there are replay, /, 'lab'],
    [
      ['server', 'nope'],
      /^server: there is no command 'nope'; there are setup, ready, invite, /,
      'server',
    ],
    [['trace', 'nope'], /^trace: there is no command 'nope'; there are info, /, 'trace'],
  ])('reports that %j names no command, or an argument too many', async (args, words, command) => {
    const { code, stderr } = await godwit(args);
    const [, said = '', remedy] = /^godwit: (.*); (see [^;]*)\n$/.exec(stderr) ?? [];
    expect({ code, remedy }).toEqual({ code: 2, remedy: `see \`godwit ${command} --help\`` });
    if (typeof words === 'string') expect(said).toBe(words);
    else expect(said).toMatch(words);
  });

  it.each([
    [['config', 'server', 'bogus']],
    [['server', '--listen', 'foo']],
    [['server', 'invite', '--address', 'a b']],
    [['link', '--to', 'foo']],
    [['link', '--to', '127.0.0.1:1', '--listen', 'foo']],
    [['link', '--to', '127.0.0.1:1', '--move', '5s@home']],
  ])('takes the address in %j for wrong usage', async (args) => {
    const given = args[0] === 'link' ? args : [...args, '--data', data];
    expect(await godwit(given)).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringMatching(/HOST:PORT\n$|: not the address of a host; [^\n]*\n$/),
    });
  });

  it.each([
    [['network', 'ls', '--data', 'typed'], 'DATA'],
    [['network', '--data', 'typed', 'ls'], 'DATA'],
    [['network', '--data', 'outer', 'ls', '--data', 'typed'], 'DATA'],
    [['server', 'devices', '--data', 'typed'], 'SERVER_DATA'],
    [['group', '--data', 'typed', 'ls'], 'DATA'],
    [['queue', '--data', 'outer', 'fetches', '--data', 'typed'], 'DATA'],
  ])('counts what %j types more than the environment', async (args, twin) => {
    process.env[`GODWIT_${twin}`] = join(folder, 'environment');
    const typed = args.map((word) => (/typed|outer/.test(word) ? join(folder, word) : word));
    expect((await godwit(typed)).stderr).toContain(join(folder, 'typed'));
  });
});
