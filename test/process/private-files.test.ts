/**
 * Nobody but its user can read what a daemon, a server and their commands keep, whatever the umask is, and whatever was there before. What is in
 * the synced folder has the permissions that the volume says.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bench, endProcess, type RunningServer } from '../support/bench.ts';

const OTHERS = 0o077;

/** Directories of `.godwit` that hold files of users, with the modes that users gave them. */
const ROOMS = ['late', 'parked', 'tmp', 'lost+found'].map((name) => join('.godwit', name));

/** The paths below a folder that other users may access, with their modes. */
function openToOthers(root: string): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    const stat = lstatSync(path);
    // The mode of a link does not matter.
    if (stat.isSymbolicLink()) return;
    if ((stat.mode & OTHERS) !== 0) found.push(`${path} ${(stat.mode & 0o777).toString(8)}`);
    if (!stat.isDirectory() || ROOMS.some((room) => path.endsWith(room))) return;
    for (const name of readdirSync(path)) walk(join(path, name));
  };
  if (existsSync(root)) walk(root);
  return found;
}

/** Gives existing files and folders the usual open modes. */
function loosen(root: string): void {
  const stat = lstatSync(root);
  if (stat.isSymbolicLink() || stat.isSocket()) return;
  chmodSync(root, stat.isDirectory() ? 0o755 : 0o644);
  if (stat.isDirectory()) for (const name of readdirSync(root)) loosen(join(root, name));
}

const withUmask = (mask: string): string[] => ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh'];

describe.each(['000', '022'])('a process with umask %s', (mask) => {
  let bench: Bench;
  let server: RunningServer;
  const laptop = (name: string) => ({
    data: bench.path(name, 'data'),
    folder: bench.path(name, 'Godwit'),
  });
  /** All files that the programs keep outside of synced folders. */
  const kept = (): string[] => [
    ...['ann', 'bob'].map((name) => laptop(name).data),
    ...['ann', 'bob'].map((name) => join(laptop(name).folder, '.godwit')),
    ...['server', 'backup', 'run', 'state'].map((name) => bench.path(name)),
  ];
  const everythingOpen = (): string[] => kept().flatMap(openToOthers);

  beforeAll(async () => {
    bench = new Bench();
    for (const name of ['ann', 'bob']) bench.within(laptop(name).data, withUmask(mask));
    for (const name of ['server', 'again']) bench.within(bench.path(name), withUmask(mask));
    server = await bench.server();
    for (const name of ['ann', 'bob']) await bench.laptop(name, await bench.invite(server));
  });
  afterAll(() => bench.close());

  it('leaves nothing that others can read after a working day', async () => {
    const [a, b] = [laptop('ann'), laptop('bob')];
    mkdirSync(join(a.folder, 'd'));
    for (const [name, mode] of [
      ['open', 0o666],
      ['mine', 0o600],
      ['tool', 0o755],
    ] as const) {
      writeFileSync(join(a.folder, 'd', name), name);
      chmodSync(join(a.folder, 'd', name), mode);
    }
    chmodSync(join(a.folder, 'd'), 0o777);
    for (let index = 0; index < 40; index++) {
      writeFileSync(join(a.folder, `small ${index}`), `${index}\n`.repeat(index));
    }
    writeFileSync(join(a.folder, 'large'), Buffer.alloc(3_000_000, 'x'));
    await bench.flush(a, b);
    // Both at once, and each is told.
    for (const { data } of [a, b]) await bench.json(['pause', '--data', data]);
    writeFileSync(join(a.folder, 'small 7'), 'of ann');
    writeFileSync(join(b.folder, 'small 7'), 'of bob');
    writeFileSync(join(a.folder, 'large'), Buffer.alloc(3_000_100, 'y'));
    for (const { data } of [a, b]) await bench.json(['resume', '--data', data]);
    await bench.flush(a, b);
    await bench.flush(a, b);
    for (const command of [['status'], ['queue'], ['conflicts'], ['doctor'], ['log'], ['cache']]) {
      await bench.godwit([...command, '--data', a.data]);
    }
    await bench.json(['pause', '--for', '1h', '--data', b.data]);
    const place = ['--data', server.data];
    await bench.json(['server', 'backup', bench.path('backup'), ...place]);
    await bench.godwit(['server', 'check', ...place]);
    await bench.godwit(['server', 'gc', ...place]);
    expect(everythingOpen()).toEqual([]);
    const modeAt = (folder: string, name: string): number =>
      statSync(join(folder, name)).mode & 0o777;
    for (const [name, mode] of [
      ['d', 0o777],
      ['d/open', 0o666],
      ['d/mine', 0o600],
      ['d/tool', 0o755],
    ] as const) {
      expect([name, modeAt(b.folder, name)]).toEqual([name, mode]);
    }
  });

  it('makes files private at its start that were readable before', async () => {
    const [a, b] = [laptop('ann'), laptop('bob')];
    for (const { data } of [a, b]) await bench.json(['down', '--data', data]);
    await endProcess(server.child.pid as number);
    // The last two are the user's, with more in them.
    for (const path of kept().slice(0, -2)) loosen(path);
    // A user's own file in the data folder keeps its mode.
    writeFileSync(join(a.data, 'notes of mine'), 'read me');
    chmodSync(join(a.data, 'notes of mine'), 0o644);
    server = await bench.server('server', server.address);
    for (const { data } of [a, b]) await bench.json(['up', '--data', data]);
    await bench.json(['server', 'backup', bench.path('backup'), '--data', server.data]);
    await bench.json(['resume', '--data', b.data]);
    await bench.flush(a, b);
    expect(everythingOpen()).toEqual([`${join(a.data, 'notes of mine')} 644`]);
  });

  it('restores a server that only its user can read', async () => {
    const again = bench.path('again');
    await bench.json(['server', 'restore', bench.path('backup'), '--data', again]);
    expect(openToOthers(again)).toEqual([]);
  });
});
