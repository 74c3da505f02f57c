/** What laptops are called: changed by one of them, or where the server runs, and shown to all. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../shared/control/config.ts';
import type { Run } from '../support/bench.ts';
import { twoLaptops, type Laptop } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

const called = (name: string) => (status: { device: { name: string } }) =>
  status.device.name === name;

const rename = ({ data }: Laptop, name: string): Promise<Run> =>
  bench.godwit(['config', 'device', name, '--data', data]);

const atServer = (id: number, name: string): Promise<Run> =>
  bench.godwit(['server', 'rename', String(id), name, '--data', bench.home.data]);

const numberOf = async ({ data }: Laptop): Promise<number> =>
  (await bench.status(data)).device.id as number;

async function namesAtServer(): Promise<string[]> {
  const told = await bench.json(['server', 'devices', '--data', bench.home.data]);
  return (told as unknown as { devices: Array<{ name: string }> }).devices.map(({ name }) => name);
}

async function writersOf(path: string): Promise<unknown> {
  return (await bench.json(['versions', path, '--data', b.data])).versions;
}

describe('a laptop that is renamed', () => {
  it('has the new name everywhere at once, and after a restart', async () => {
    writeFileSync(join(a.folder, 'doc'), 'first');
    await bench.flush(a, b);
    expect(await rename(a, ' Ann’s laptop ')).toEqual({
      ...{ code: 0, stdout: 'Ann’s laptop\n', stderr: '' },
    });
    expect((await bench.status(a.data)).device.name).toBe('Ann’s laptop');
    expect(await namesAtServer()).toContain('Ann’s laptop');
    expect(await writersOf('/doc')).toMatchObject([{ by: 'Ann’s laptop' }]);
    await bench.json(['pause', '--data', a.data]);
    writeFileSync(join(a.folder, 'doc'), 'of a');
    writeFileSync(join(b.folder, 'doc'), 'of b');
    await bench.json(['flush', '--data', a.data]);
    await bench.flush(b);
    await bench.json(['resume', '--data', a.data]);
    await bench.flush(a, b);
    expect(readdirSync(a.folder).join()).toMatch(/doc \(conflict, Ann’s laptop, /);
    await bench.json(['down', '--data', a.data]);
    await bench.json(['up', '--data', a.data]);
    await bench.until(a.data, (status) => status.connected && called('Ann’s laptop')(status));
    expect(await namesAtServer()).toContain('Ann’s laptop');
  });

  it.each([
    ['', /an argument is empty/],
    ['  ', /it is empty/],
    ['a/b', /slash/],
    ['a\tb', /control character/],
    ['x'.repeat(65), /longer than 64 bytes/],
  ])('cannot be called %j', async (name, words) => {
    const before = (await bench.status(a.data)).device.name;
    for (const run of [await rename(a, name), await atServer(await numberOf(a), name)]) {
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(/^godwit: [^\n]+\n$/);
      expect(run.stderr).toMatch(words);
    }
    expect((await bench.status(a.data)).device.name).toBe(before);
  });

  it('cannot have the name of another one of its user', async () => {
    const taken = (await bench.status(b.data)).device.name;
    const runs = [
      await rename(a, taken),
      await rename(a, taken.toUpperCase()),
      await atServer(await numberOf(a), taken),
    ];
    for (const run of runs) {
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(run.stderr).toMatch(/^godwit: [^\n]+; choose another name\n$/);
    }
    expect(runs[0]?.stderr).toMatch(/^godwit: [^\n]*another laptop of yours is called so; /);
  });

  it('hears at once of the name that it is given where the server runs', async () => {
    const id = await numberOf(b);
    expect(await atServer(id, 'studio')).toEqual({
      ...{ code: 0, stdout: `device ${id} is called studio now\n`, stderr: '' },
    });
    await bench.until(b.data, called('studio'));
    // The settings follow the status, each question later by a moment.
    while (readConfig(b.data)?.deviceName !== 'studio') {
      await bench.json(['status', '--data', b.data]);
    }
    // While it is away, too.
    await bench.json(['down', '--data', b.data]);
    await atServer(id, 'attic');
    await bench.json(['up', '--data', b.data]);
    await bench.until(b.data, called('attic'));
    expect(await namesAtServer()).toContain('attic');
  });

  it('is not renamed without the server, and is refused in one line', async () => {
    await bench.endServer();
    await bench.until(a.data, ({ connected }) => !connected);
    const before = (await bench.status(a.data)).device.name;
    const run = await rename(a, 'offline');
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toMatch(/^godwit: [^\n]+\n$/);
    expect((await bench.status(a.data)).device.name).toBe(before);
    await bench.serveAgain();
    await bench.until(a.data, ({ connected }) => connected);
  });

  it('takes the name that the next start gives it to the server, or has the former one back', async () => {
    const before = (await bench.status(b.data)).device.name;
    await bench.json(['down', '--data', a.data]);
    await bench.json(['up', '--name', 'by the start', '--data', a.data]);
    await bench.until(a.data, called('by the start'));
    await bench.json(['flush', '--data', a.data]);
    expect(await namesAtServer()).toContain('by the start');
    await bench.json(['down', '--data', a.data]);
    await bench.json(['up', '--name', before, '--data', a.data]);
    await bench.until(a.data, called('by the start'));
    expect(await namesAtServer()).toContain('by the start');
  });

  it('is numbered when it is paired with a name that another one of its user has', async () => {
    const taken = (await bench.status(b.data)).device.name;
    const data = bench.path('third', 'data');
    const up = ['up', '--data', data, '--folder', bench.path('third', 'Godwit')];
    const invitation = await bench.invite(bench.home);
    const run = await bench.godwit([...up, '--name', taken, '--invite', invitation]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const line = `this laptop is called ${taken} 2: another one of yours is called ${taken}`;
    expect(run.stdout.split('\n')).toContain(line);
    expect((await bench.status(data)).device.name).toBe(`${taken} 2`);
    expect(await namesAtServer()).toContain(`${taken} 2`);
    await bench.json(['down', '--data', data]);
    await bench.json(['up', '--data', data]);
    await bench.until(data, called(`${taken} 2`));
    expect(readConfig(data)?.deviceName).toBe(`${taken} 2`);
  });
});
