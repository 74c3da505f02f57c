/** A running daemon gets a new address of the server and a new place of the folder: nothing is lost, and nothing looks removed. */
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compareTrees } from '../../app/lab/demo/compare-trees.ts';
import { readMarker } from '../../shared/control/marker.ts';
import { endProcess, textOf, type Run } from '../support/bench.ts';
import { treeOf, twoLaptops, type Laptop } from '../support/two-laptops.ts';

const bench = twoLaptops();
const { b } = bench;
/** Laptop A with the current place of its folder. */
let a: Laptop = bench.a;

const config = (...args: string[]): Promise<Run> =>
  bench.godwit(['config', ...args, '--data', a.data]);

const isConnected = ({ connected }: { connected: boolean }): boolean => connected;

const expectSame = (): void => expect(compareTrees(treeOf(a), treeOf(b))).toEqual([]);

/** Checks that the command was refused in one line and the folder has not moved. */
function expectRefused({ code, stdout, stderr }: Run, words: RegExp): void {
  expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: '' });
  expect(stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
  expect(stderr).toMatch(words);
  expect(readMarker(a.folder)).not.toBeNull();
}

async function movedTo(folder: string): Promise<void> {
  expect(await config('folder', folder)).toMatchObject({ code: 0, stdout: `${folder}\n` });
  a = { ...a, folder };
}

async function startedAgain(): Promise<void> {
  const { pid } = await bench.status(a.data);
  await endProcess(pid, 'SIGKILL');
  await bench.json(['up', '--data', a.data]);
}

describe('a server at a new address', () => {
  it('gets queued updates from then on and after a restart', async () => {
    writeFileSync(join(a.folder, 'doc'), 'first');
    await bench.flush(a, b);
    await bench.endServer();
    writeFileSync(join(a.folder, 'doc'), 'while it was away');
    await bench.until(a.data, ({ queues }) => queues.data.updates === 1);
    const server = await bench.server('server');
    for (const { data } of [a, b]) {
      const run = await bench.godwit(['config', 'server', server.address, '--data', data]);
      expect(run).toMatchObject({ code: 0, stdout: `${server.address}\n`, stderr: '' });
    }
    await bench.flush(a, b);
    expectSame();
    await startedAgain();
    const { address } = (await bench.until(a.data, isConnected)).server;
    expect(address).toBe(server.address);
  });

  it('is refused by name when it is another server, until the right address is set', async () => {
    const { address: right } = (await bench.status(a.data)).server;
    const other = await bench.server('other');
    await config('server', other.address);
    await bench.until(a.data, ({ errors }) =>
      errors.some(({ code }) => code === 'wrong-fingerprint'),
    );
    const { stdout } = await bench.godwit(['status', '--data', a.data]);
    expect(stdout.split('\n').filter((line) => line.startsWith('✗ '))).toEqual([
      expect.stringContaining(`Not connected to ${other.address}`),
      expect.stringContaining(`${other.address}: the server there is not the one`),
    ]);
    writeFileSync(join(a.folder, 'doc'), 'kept meanwhile');
    await config('server', right);
    await bench.flush(a, b);
    expectSame();
  });

  it.each(['nowhere', 'host:', ':4433', 'host:0', 'host:70000', 'a b:1', '::1:5', ''])(
    'is refused in one line for the address %j, and nothing changes',
    async (address) => {
      const before = await config('server');
      expectRefused(await config('server', address), /an argument is empty|no address of a server/);
      expect(await config('server')).toEqual(before);
    },
  );

  it('can be changed but never unset', async () => {
    expectRefused(await config('server', '--unset'), /server is never unset/);
    expectRefused(await config('folder', '--unset'), /folder is never unset/);
  });
});

describe('a folder at a new path', () => {
  it('is moved as it is: programs go on, and no file looks removed or new', async () => {
    mkdirSync(join(a.folder, 'sub'));
    writeFileSync(join(a.folder, 'sub/file'), 'before');
    await bench.flush(a, b);
    const [{ head } = { head: 0 }] = (await bench.status(a.data)).volumes;
    const { ino } = statSync(join(a.folder, 'sub/file'));
    const open = openSync(join(a.folder, 'sub/file'), 'a');
    const old = a.folder;
    await movedTo(bench.path('ann', 'deep', 'down', 'Place'));
    expect(existsSync(old)).toBe(false);
    await bench.flush(a);
    expect((await bench.status(a.data)).volumes).toMatchObject([{ head }]);
    expect(statSync(join(a.folder, 'sub/file')).ino).toBe(ino);
    writeSync(open, ', and after');
    closeSync(open);
    await bench.flush(a, b);
    expect(textOf(join(b.folder, 'sub/file'))).toBe('before, and after');
    writeFileSync(join(b.folder, 'of bob'), 'new');
    await bench.flush(b, a);
    expectSame();
    await startedAgain();
    expect((await bench.status(a.data)).folder).toBe(a.folder);
  });

  it('can be an empty folder, a link to one, or a relative path', async () => {
    mkdirSync(bench.path('empty'));
    symlinkSync(bench.path('empty'), bench.path('link'));
    await movedTo(bench.path('link'));
    expect(existsSync(bench.path('empty', '.godwit'))).toBe(true);
    writeFileSync(join(a.folder, 'through the link'), 'x');
    await bench.flush(a, b);
    expectSame();
    // It is only another path to the same folder, so nothing is renamed.
    await movedTo(bench.path('empty'));
    rmSync(bench.path('link'));
    await bench.flush(a, b);
    expectSame();
  });

  it('is accepted when a user has moved the folder', async () => {
    const to = bench.path('moved by hand');
    renameSync(a.folder, to);
    await movedTo(to);
    writeFileSync(join(a.folder, 'doc'), 'there');
    await bench.flush(a, b);
    expectSame();
    expect((await bench.status(a.data)).errors).toEqual([]);
  });

  it('can be set during a flush, which ends when everything is sent', async () => {
    await bench.json(['pause', '--data', a.data]);
    writeFileSync(join(a.folder, 'doc'), 'in the middle');
    await bench.until(a.data, ({ queues }) => queues.data.updates === 1);
    const flushed = bench.flush(a);
    await movedTo(bench.path('in the middle'));
    await bench.json(['resume', '--data', a.data]);
    await flushed;
    await bench.flush(b);
    expectSame();
  });

  it('is refused when it is unusable, and the folder stays', async () => {
    const full = bench.path('full');
    mkdirSync(full);
    writeFileSync(join(full, 'mine'), 'mine');
    expectRefused(await config('folder', full), /full: it is not empty/);
    expectRefused(await config('folder', join(full, 'mine')), /mine: it is no folder/);
    expectRefused(await config('folder', join(full, 'mine/below')), /mine/);
    expectRefused(await config('folder', join(a.folder, 'below')), /lies inside the synced folder/);
    expectRefused(await config('folder', join(b.folder, 'below')), /lies inside the synced folder/);
    expectRefused(await config('folder', b.folder), /it is another synced folder/);
    expectRefused(await config('folder', join(a.data, 'below')), /lies in the data folder/);
    cpSync(a.folder, bench.path('copy'), { recursive: true });
    expectRefused(await config('folder', bench.path('copy')), /it is a copy of the synced folder/);
    expect(textOf(join(full, 'mine'))).toBe('mine');
    rmSync(bench.path('copy'), { recursive: true });
    writeFileSync(join(a.folder, 'doc'), 'still here');
    await bench.flush(a, b);
    expectSame();
  });

  it('is refused on another file system, with what to do instead', async () => {
    const there = '/dev/shm';
    const isOther = existsSync(there) && statSync(there).dev !== statSync(a.folder).dev;
    if (!isOther) return;
    const run = await config('folder', join(there, `godwit-${process.pid}`, 'Godwit'));
    expectRefused(run, /another file system; .*`godwit down`.*`godwit up --folder DIR`/);
    expect(existsSync(join(there, `godwit-${process.pid}`))).toBe(false);
  });

  it('is accepted at a start after the folder was moved while no daemon ran', async () => {
    await bench.json(['down', '--data', a.data]);
    const to = bench.path('while down');
    renameSync(a.folder, to);
    a = { ...a, folder: to };
    writeFileSync(join(a.folder, 'doc'), 'written on the way');
    await bench.json(['up', '--data', a.data, '--folder', to]);
    await bench.flush(a, b);
    expectSame();
  });

  it.each(['not yet renamed', 'renamed'])(
    'is found after an interrupted move: %s',
    async (when) => {
      const { pid } = await bench.status(a.data);
      await endProcess(pid, 'SIGKILL');
      const [from, to] = [a.folder, bench.path(`after the end, ${when}`)];
      const token = readMarker(from)?.token;
      const note = join(a.data, 'folder-move.json');
      writeFileSync(note, JSON.stringify({ from, to, token }));
      if (when === 'renamed') {
        renameSync(from, to);
        a = { ...a, folder: to };
      }
      await bench.json(['up', '--data', a.data]);
      expect((await bench.status(a.data)).folder).toBe(a.folder);
      expect([existsSync(note), existsSync(from), existsSync(to)]).toEqual([
        ...[false, when !== 'renamed', when === 'renamed'],
      ]);
      const kept = JSON.parse(readFileSync(join(a.data, 'config.json'), 'utf8')) as Laptop;
      expect(kept.folder).toBe(a.folder);
      writeFileSync(join(a.folder, 'doc'), when);
      await bench.flush(a, b);
      expectSame();
    },
  );

  it('is refused when it cannot be reached, and the folder stays', async () => {
    const closed = bench.path('closed');
    mkdirSync(closed, { mode: 0o500 });
    // Root may do it in spite of the mode.
    if (process.getuid?.() === 0) return;
    expectRefused(await config('folder', join(closed, 'Godwit')), /can not be moved to/);
    expect(dirname(a.folder)).not.toBe(closed);
  });
});
