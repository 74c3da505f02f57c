/** Without a folder, a daemon is the file-system port alone: nothing is fetched before it is opened. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench } from '../support/bench.ts';

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

describe('front end none', () => {
  it('fetches what is opened, and nothing else', async () => {
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

  it('puts trees that others see', async () => {
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

  it('sees what is changed elsewhere', async () => {
    writeFileSync(join(a.folder, 'd/one'), 'another\n');
    await bench.flush(a, { data: port });
    expect((await run('cat', '/d/one')).stdout).toBe('another\n');
    expect((await run('cat', '/d/none')).code).toBe(3);
  });
});
