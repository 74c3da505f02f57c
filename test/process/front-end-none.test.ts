/** Without a folder, a daemon offers only the file-system port: nothing is fetched before it is opened. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PortFiles } from '../../app/lab/bench/real/port-files.ts';
import { ControlClient } from '../../shared/control/client.ts';
import { Bench, endProcess } from '../support/bench.ts';

const SAVES = 20;

let bench: Bench;
let a: { data: string; folder: string };
let port: string;

beforeAll(async () => {
  bench = new Bench();
  const server = await bench.server();
  a = await bench.laptop('ann', await bench.invite(server));
  port = bench.path('port');
  const invitation = await bench.invite(server);
  await bench.json(['up', '--data', port, '--front-end', 'none', '--invite', invitation]);
});
afterAll(() => bench.close());

const run = (...args: string[]) => bench.godwit([...args, '--data', port]);

describe('the front end "none"', () => {
  it('fetches opened files and nothing else', async () => {
    mkdirSync(join(a.folder, 'd'));
    for (const name of ['one', 'two', 'three'])
      writeFileSync(join(a.folder, 'd', name), `${name}\n`);
    await bench.flush(a, { data: port });
    const before = await bench.json(['ls', '/d', '--data', port]);
    expect(before['entries']).toMatchObject([
      { name: 'one', cached: false },
      { name: 'three', cached: false },
      { name: 'two', cached: false },
    ]);
    expect((await run('cat', '/d/two', '/d/one')).stdout).toBe('two\none\n');
    const after = await bench.json(['ls', '/d', '--data', port]);
    expect(after['entries']).toMatchObject([
      { name: 'one', cached: true },
      { name: 'three', cached: false },
      { name: 'two', cached: true },
    ]);
  });

  it('puts trees that other laptops see', async () => {
    mkdirSync(bench.path('tree/empty'), { recursive: true });
    writeFileSync(bench.path('tree/file'), 'put');
    expect((await run('put', bench.path('tree'), '/tree')).code).toBe(0);
    await bench.flush({ data: port }, a);
    expect((await bench.godwit(['cat', '/tree/file', '--data', a.data])).stdout).toBe('put');
    expect((await bench.json(['ls', '/tree', '--data', a.data]))['entries']).toMatchObject([
      { name: 'empty', kind: 'directory' },
      { name: 'file', size: 3 },
    ]);
  });

  it('keeps every acknowledged change when it is killed right after', async () => {
    const { pid } = await bench.status(port);
    const control = ControlClient.of(port);
    const files = await PortFiles.of(control.fileSystem);
    const dir = await files.folder('killed');
    for (let index = 0; index < SAVES; index++) {
      writeFileSync(bench.path('source'), `save ${index} `.repeat(1000));
      await files.copyIn(bench.path('source'), dir, `${index}`);
    }
    await endProcess(pid, 'SIGKILL');
    control.close();
    await bench.json(['up', '--data', port]);
    for (let index = 0; index < SAVES; index++) {
      const { stdout } = await run('cat', `/killed/${index}`);
      expect(stdout).toBe(`save ${index} `.repeat(1000));
    }
    await bench.flush({ data: port }, a);
    expect(readFileSync(join(a.folder, `killed/${SAVES - 1}`), 'utf8')).toContain('save');
  });

  it('sees changes of other laptops', async () => {
    writeFileSync(join(a.folder, 'd/one'), 'another\n');
    await bench.flush(a, { data: port });
    expect((await run('cat', '/d/one')).stdout).toBe('another\n');
    expect((await run('cat', '/d/none')).code).toBe(3);
  });
});
