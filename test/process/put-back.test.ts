/** Folders that were copied: a server's from a backup (rule I1), a laptop's to another place (rule I2). */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench, endProcess, textOf, type RunningServer } from '../support/bench.ts';

let bench: Bench;
let server: RunningServer;
let a: { data: string; folder: string };
let b: { data: string; folder: string };

beforeAll(async () => {
  bench = new Bench();
  server = await bench.server();
  a = await bench.laptop('ann', await bench.invite(server));
  b = await bench.laptop('bob', await bench.invite(server));
});
afterAll(() => bench.close());

describe('a folder that was put back', () => {
  it('of a server: what it lost comes back from the laptops', async () => {
    writeFileSync(join(a.folder, 'doc'), 'first');
    await bench.flush(a, b);
    await endProcess(server.child.pid as number);
    const backup = bench.path('backup');
    cpSync(server.data, backup, { recursive: true });
    server = await bench.server('server', server.address);
    for (const { data } of [a, b]) await bench.until(data, ({ connected }) => connected);
    writeFileSync(join(a.folder, 'doc'), 'second');
    writeFileSync(join(b.folder, 'made since'), 'by bob');
    await bench.flush(a, b, a);
    await endProcess(server.child.pid as number);
    rmSync(server.data, { recursive: true });
    cpSync(backup, server.data, { recursive: true });
    await bench.json(['server', 'restore', '--data', server.data]);
    server = await bench.server('server', server.address);
    for (const { data } of [a, b]) await bench.until(data, ({ connected }) => connected);
    await bench.flush(a, b, a);
    for (const { folder } of [a, b]) {
      expect(textOf(join(folder, 'doc'))).toBe('second');
      expect(textOf(join(folder, 'made since'))).toBe('by bob');
    }
  });

  it('of a laptop: the copy is paired again with an invitation', async () => {
    await bench.json(['down', '--data', b.data]);
    const copy = bench.path('copy');
    cpSync(b.data, copy, { recursive: true });
    await bench.json(['up', '--data', b.data]);
    const none = ['up', '--data', copy, '--front-end', 'none'];
    expect(await bench.godwit(none)).toMatchObject({ code: 1 });
    await bench.json([...none, '--invite', await bench.invite(server)]);
    const [first, second] = [await bench.status(b.data), await bench.status(copy)];
    expect(second.device.id).not.toBe(first.device.id);
    expect((await bench.godwit(['cat', 'doc', '--data', copy])).stdout).toBe('second');
  });
});
