/** A day with the CLI: two laptops of one user side by side, a server that comes and goes, daemons that are killed. */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compareTrees } from '../../app/cli/demo/compare-trees.ts';
import { readTree, type Tree } from '../../app/cli/demo/read-tree.ts';
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

const treeOf = (folder: string): Tree => readTree(folder, (path) => path === '.godwit');
const expectSame = (): void => {
  expect(compareTrees(treeOf(a.folder), treeOf(b.folder))).toEqual([]);
};

describe('two laptops', () => {
  it('are seen by the server', async () => {
    const { devices } = (await bench.json(['server', 'devices', '--data', server.data])) as {
      devices: object[];
    };
    expect(devices).toMatchObject([{ name: 'ann' }, { name: 'bob' }]);
  });

  it('say how they are', async () => {
    const status = await bench.status(a.data);
    expect(status).toMatchObject({ connected: true, folder: a.folder, device: { name: 'ann' } });
    expect(status.pid).not.toBe((await bench.status(b.data)).pid);
    expect((await bench.godwit(['doctor', '--data', a.data])).code).toBe(0);
  });

  it('become the same, both ways', async () => {
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

  it('show what is put, and print what is there', async () => {
    const put = await bench.godwit(['put', '-', '/letter', '--data', a.data], { stdin: 'dear\n' });
    expect(put).toMatchObject({ code: 0 });
    await bench.flush(a, b);
    expect(textOf(join(a.folder, 'letter'))).toBe('dear\n');
    expect(textOf(join(b.folder, 'letter'))).toBe('dear\n');
    expect((await bench.godwit(['cat', 'letter', '--data', b.data])).stdout).toBe('dear\n');
    expect((await bench.godwit(['ls', '--data', b.data])).stdout).toContain('letter\n');
  });

  it('pause and go on', async () => {
    await bench.json(['pause', '--data', b.data]);
    expect((await bench.status(b.data)).state).toBe('paused');
    writeFileSync(join(a.folder, 'while paused'), '1');
    await bench.flush(a);
    expect(textOf(join(b.folder, 'while paused'))).toBeNull();
    await bench.json(['resume', '--data', b.data]);
    await bench.flush(b);
    expectSame();
  });

  it('keep both versions of what both changed', async () => {
    writeFileSync(join(a.folder, 'both'), 'before');
    await bench.flush(a, b);
    for (const { data } of [a, b]) await bench.json(['pause', '--data', data]);
    writeFileSync(join(a.folder, 'both'), 'by ann');
    writeFileSync(join(b.folder, 'both'), 'by bob, longer');
    for (const { data } of [a, b]) await bench.json(['resume', '--data', data]);
    await bench.flush(a, b, a);
    expectSame();
    const versions = [...treeOf(a.folder).keys()].filter((path) => path.startsWith('both'));
    const texts = versions.map((path) => readFileSync(join(a.folder, path), 'utf8')).sort();
    expect(texts).toEqual(['by ann', 'by bob, longer']);
  });
});

describe('when things end', () => {
  it('a daemon that is killed goes on where it was', async () => {
    for (let index = 0; index < 200; index++) {
      writeFileSync(join(a.folder, `many ${index}`), `${index}\n`.repeat(500));
    }
    const { pid } = await bench.status(b.data);
    const flushing = bench.flush(a);
    await endProcess(pid, 'SIGKILL');
    await flushing;
    writeFileSync(join(b.folder, 'while down'), 'x');
    await bench.json(['up', '--data', b.data]);
    await bench.flush(b, a);
    expectSame();
    expect(textOf(join(a.folder, 'while down'))).toBe('x');
  });

  it('work goes on without a server, and is brought over when it is back', async () => {
    await endProcess(server.child.pid as number);
    for (const { data } of [a, b]) {
      const status = await bench.until(data, ({ connected }) => !connected);
      expect(status.state === 'offline' || status.state === 'conflict').toBe(true);
    }
    writeFileSync(join(a.folder, 'offline a'), 'a');
    writeFileSync(join(b.folder, 'offline b'), 'b');
    expect((await bench.godwit(['cat', 'letter', '--data', a.data])).stdout).toBe('dear\n');
    const flush = ['flush', '--wait', '--timeout', '1', '--data', a.data];
    expect((await bench.godwit(flush)).code).toBe(5);
    await bench.json(['down', '--data', b.data]);
    const offline = await bench.json(['up', '--data', b.data]);
    expect(offline).toMatchObject({ connected: false });
    server = await bench.server('server', server.address);
    for (const { data } of [a, b]) await bench.until(data, ({ connected }) => connected);
    await bench.flush(a, b, a);
    expectSame();
    expect(textOf(join(b.folder, 'offline a'))).toBe('a');
  });

  it('a server that is killed loses nothing', async () => {
    writeFileSync(join(a.folder, 'before the kill'), 'x'.repeat(100_000));
    await bench.flush(a);
    await endProcess(server.child.pid as number, 'SIGKILL');
    server = await bench.server('server', server.address);
    for (const { data } of [a, b]) await bench.until(data, ({ connected }) => connected);
    await bench.flush(b);
    expectSame();
  });

  it('a device that is revoked is told so', async () => {
    const c = await bench.laptop('eve', await bench.invite(server));
    const { device } = await bench.status(c.data);
    await bench.json(['server', 'revoke', String(device.id), '--data', server.data]);
    const { errors } = await bench.until(c.data, (status) => status.errors.length > 0);
    expect(errors).toMatchObject([{ code: 'device-revoked' }]);
    await bench.json(['down', '--data', c.data]);
    const again = await bench.godwit(['up', '--data', c.data]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/^godwit: [^\n]+\n$/);
  });
});
