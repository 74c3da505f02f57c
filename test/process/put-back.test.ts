/** Copied folders: that of a server from a backup (rule I1), that of a laptop to another place (rule I2). */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { textOf } from '../support/bench.ts';
import { twoLaptops } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { a, b } = bench;

describe('a data folder that was restored from a copy', () => {
  it('gets back from the laptops what a server lost', async () => {
    writeFileSync(join(a.folder, 'doc'), 'first');
    await bench.flush(a, b);
    await bench.endServer();
    const backup = bench.path('backup');
    cpSync(bench.home.data, backup, { recursive: true });
    await bench.serveAgain();
    writeFileSync(join(a.folder, 'doc'), 'second');
    writeFileSync(join(b.folder, 'made since'), 'by bob');
    await bench.flush(a, b, a);
    await bench.endServer();
    rmSync(bench.home.data, { recursive: true });
    cpSync(backup, bench.home.data, { recursive: true });
    await bench.json(['server', 'restore', '--data', bench.home.data]);
    await bench.serveAgain();
    await bench.flush(a, b, a);
    for (const { folder } of [a, b]) {
      expect(textOf(join(folder, 'doc'))).toBe('second');
      expect(textOf(join(folder, 'made since'))).toBe('by bob');
    }
  });

  it('is paired again with an invitation when it belongs to a laptop', async () => {
    await bench.json(['down', '--data', b.data]);
    const copy = bench.path('copy');
    cpSync(b.data, copy, { recursive: true });
    await bench.json(['up', '--data', b.data]);
    const none = ['up', '--data', copy, '--front-end', 'none'];
    expect(await bench.godwit(none)).toMatchObject({ code: 1 });
    await bench.json([...none, '--invite', await bench.invite(bench.home)]);
    const [first, second] = [await bench.status(b.data), await bench.status(copy)];
    expect(second.device.id).not.toBe(first.device.id);
    expect((await bench.godwit(['cat', 'doc', '--data', copy])).stdout).toBe('second');
  });
});
