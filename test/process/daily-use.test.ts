/** A day with the CLI: two laptops of one user side by side. */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { textOf } from '../support/bench.ts';
import { treeOf, twoLaptops } from '../support/two-laptops.ts';

const MEGABYTE = 1024 * 1024;

const bench = twoLaptops();
const { a, b } = bench;

const expectSame = (): void => expect(bench.differences()).toEqual([]);

describe('two laptops', () => {
  it("appear in the server's list of devices", async () => {
    const { devices } = (await bench.json(['server', 'devices', '--data', bench.home.data])) as {
      devices: object[];
    };
    expect(devices).toMatchObject([{ name: 'ann' }, { name: 'bob' }]);
  });

  it('report their own states', async () => {
    const status = await bench.status(a.data);
    expect(status).toMatchObject({ connected: true, folder: a.folder, device: { name: 'ann' } });
    expect(status.pid).not.toBe((await bench.status(b.data)).pid);
    expect((await bench.godwit(['doctor', '--data', a.data])).code).toBe(0);
  });

  it('become equal in both directions', async () => {
    mkdirSync(join(a.folder, 'dir/empty'), { recursive: true });
    writeFileSync(join(a.folder, 'dir/run.sh'), '#!/bin/sh\n');
    chmodSync(join(a.folder, 'dir/run.sh'), 0o755);
    symlinkSync('run.sh', join(a.folder, 'dir/link'));
    await bench.flush(a, b);
    expectSame();
    renameSync(join(b.folder, 'dir'), join(b.folder, 'größe'));
    writeFileSync(join(b.folder, 'größe/run.sh'), '#!/bin/sh\nexit 0\n');
    await bench.flush(b, a);
    expectSame();
    expect(textOf(join(a.folder, 'größe/run.sh'))).toBe('#!/bin/sh\nexit 0\n');
    rmSync(join(a.folder, 'größe'), { recursive: true });
    await bench.flush(a, b);
    expectSame();
  });

  it('keep a sparse file sparse', async () => {
    const size = 64 * MEGABYTE;
    writeFileSync(join(a.folder, 'image'), 'begin');
    truncateSync(join(a.folder, 'image'), size);
    await bench.flush(a, b);
    expectSame();
    const [here, there] = [a, b].map(({ folder }) => statSync(join(folder, 'image')).blocks * 512);
    expect(there).toBeLessThan((here ?? 0) + MEGABYTE);
    rmSync(join(a.folder, 'image'));
  });

  it('show what `put` brings, and print it with `cat`', async () => {
    const put = await bench.godwit(['put', '-', '/letter', '--data', a.data], { stdin: 'dear\n' });
    expect(put).toMatchObject({ code: 0 });
    await bench.flush(a, b);
    expect(textOf(join(a.folder, 'letter'))).toBe('dear\n');
    expect(textOf(join(b.folder, 'letter'))).toBe('dear\n');
    expect((await bench.godwit(['cat', 'letter', '--data', b.data])).stdout).toBe('dear\n');
    expect((await bench.godwit(['ls', '--data', b.data])).stdout).toContain('letter\n');
  });

  it('pause and resume syncing', async () => {
    await bench.json(['pause', '--data', b.data]);
    expect((await bench.status(b.data)).state).toBe('paused');
    writeFileSync(join(a.folder, 'while paused'), '1');
    await bench.flush(a);
    expect(textOf(join(b.folder, 'while paused'))).toBeNull();
    await bench.json(['resume', '--data', b.data]);
    await bench.flush(b);
    expectSame();
  });

  it('keep both versions of a file that both changed', async () => {
    writeFileSync(join(a.folder, 'both'), 'before');
    await bench.flush(a, b);
    for (const { data } of [a, b]) await bench.json(['pause', '--data', data]);
    writeFileSync(join(a.folder, 'both'), 'by ann');
    writeFileSync(join(b.folder, 'both'), 'by bob, longer');
    for (const { data } of [a, b]) await bench.json(['resume', '--data', data]);
    // Both flush at once: neither may wait for the same as the other.
    await Promise.all([bench.flush(a), bench.flush(b)]);
    await bench.flush(a, b, a);
    expectSame();
    const versions = [...treeOf(a).keys()].filter((path) => path.startsWith('both'));
    const texts = versions.map((path) => readFileSync(join(a.folder, path), 'utf8')).sort();
    expect(texts).toEqual(['by ann', 'by bob, longer']);
  });
});
