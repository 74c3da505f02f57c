/** One rule for exit codes, on a real daemon and server: 2 where what was typed can not be right, 3 where nothing is called so. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench, type RunningServer } from '../support/bench.ts';
import type { Laptop } from '../support/two-laptops.ts';

const bench = new Bench();
let server: RunningServer;
let laptop: Laptop;

beforeAll(async () => {
  server = await bench.server();
  laptop = await bench.laptop('a', await bench.invite(server));
  for (const name of ['kept', 'gone']) writeFileSync(join(laptop.folder, name), name);
  await bench.flush(laptop);
  rmSync(join(laptop.folder, 'gone'));
  await bench.flush(laptop);
});
afterAll(() => bench.close());

/** What a command is about, as somebody may type it: what can not be right, and what nothing is called. */
const NUMBERED: ReadonlyArray<readonly [string, readonly string[], readonly string[]]> = [
  ['undo', ['undo', '--yes'], []],
  ['queue now', ['queue', 'now'], []],
  ['queue later', ['queue', 'later'], []],
  ['queue cancel', ['queue', 'cancel'], []],
  ['conflicts resolve', ['conflicts', 'resolve'], ['--keep', 'mine']],
  ['restore --version', ['restore', '/kept', '--version'], []],
  ['server rename', ['server', 'rename'], ['other']],
  ['server revoke', ['server', 'revoke'], []],
];

describe('a command', () => {
  it.each(NUMBERED)(
    'exits with 2 for what is no number and with 3 for an unknown one: %s',
    async (_, before, after) => {
      const data = before[0] === 'server' ? server.data : laptop.data;
      const codeFor = async (number: string): Promise<number | null> =>
        (await bench.godwit([...before, number, ...after, '--data', data])).code;
      expect([await codeFor('0'), await codeFor('987654')]).toEqual([2, 3]);
    },
  );

  it.each([
    ['a path', ['cat', '/nothing'], 3],
    ['a path of the queue', ['queue', 'now', '/kept'], 3],
    ['a volume', ['ls', '/', '--volume', 'nothing'], 3],
    ['a path that can be none', ['cat', 'x'.repeat(300)], 2],
    ['half of an invitation', ['up', '--invite', 'godwit://127.0.0.1:4433/00'], 2],
  ] as const)('exits by the same rule for %s', async (_, args, wanted) => {
    const data = args[0] === 'up' ? bench.path('new') : laptop.data;
    expect((await bench.godwit([...args, '--data', data])).code).toBe(wanted);
  });

  it('exits with 0 when it ends a daemon twice, and with 3 where none was ever started', async () => {
    const down = (data: string) => bench.godwit(['down', '--data', data]);
    expect(await down(laptop.data)).toMatchObject({ code: 0, stdout: 'the daemon has ended\n' });
    const again = await down(laptop.data);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toBe(`no daemon runs on ${laptop.data}: there is nothing to end\n`);
    expect(await down(bench.path('typo'))).toMatchObject({ code: 3, stdout: '' });
  });
});
