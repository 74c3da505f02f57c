/** What others move from one disk of the folder to another, with what its user does meanwhile, and with an end in between. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isRoomName } from '../../../../shared/control/marker.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import { FakeDisks } from '../../../../test/support/fake-disks.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';

let bench: FolderBench;
let disks: FakeDisks;
let host: HookedHost;

beforeEach(async () => {
  host = new HookedHost();
  bench = new FolderBench(host);
  mkdirSync(bench.path('card'), { recursive: true });
  disks = new FakeDisks(bench.root, join(bench.dir, 'shelf'));
  disks.mount('card', 'card');
  bench.mounts = disks;
  bench.limits = { ...bench.limits, mountLook: milliseconds(20) };
  mkdirSync(bench.path('d', 'e'), { recursive: true });
  writeFileSync(bench.path('d', 'e', 'deep'), 'deep');
  writeFileSync(bench.path('d', 'x'), 'x');
  writeFileSync(bench.path('.godwitignore'), '*.o\n');
  await bench.start();
});
afterEach(() => bench.destroy());

const shown = (): Record<string, string> => bench.tree();
const rooms = (): string[] => readdirSync(bench.path('card')).filter(isRoomName);
const room = (): string => bench.path('card', rooms()[0] ?? '');

async function agrees(): Promise<void> {
  await bench.settled();
  expect(shown()).toEqual(bench.volume.tree());
}

describe('a directory that moves to another disk', () => {
  it('keeps everything in it: modes, times, links', async () => {
    chmodSync(bench.path('d', 'x'), 0o640);
    linkSync(bench.path('d', 'x'), bench.path('d', 'e', 'link'));
    symlinkSync('x', bench.path('d', 'soft'));
    await bench.settled();
    bench.told();
    const before = statSync(bench.path('d', 'x'));
    const times = statSync(bench.path('d')).mtimeMs;
    bench.other.rename('d', 'card/d');
    await agrees();
    const now = statSync(bench.path('card', 'd', 'x'));
    expect([now.mode, now.mtimeMs, now.nlink]).toEqual([before.mode, before.mtimeMs, 2]);
    expect(now.ino).not.toBe(before.ino);
    expect(statSync(bench.path('card', 'd')).mtimeMs).toBe(times);
    expect(shown()).toMatchObject({ 'card/d/e/deep': 'deep', 'card/d/soft': '-> x' });
    expect(existsSync(bench.path('d'))).toBe(false);
    expect(bench.told()).not.toContainEqual(expect.stringMatching(/^re?m|^create/));
  });

  it('leaves ignored files where they are', async () => {
    writeFileSync(bench.path('d', 'x.o'), 'object');
    bench.other.rename('d', 'card/d');
    await bench.until(() => existsSync(bench.path('card', 'd', 'x')));
    await bench.until(() => !existsSync(bench.path('d', 'e')));
    expect(readdirSync(bench.path('d'))).toEqual(['x.o']);
    await bench.flush();
    expect(bench.volume.tree()).not.toHaveProperty('d/');
    expect(bench.volume.tree()).toMatchObject({ 'card/d/x': 'x' });
  });

  it('can come back, and its temporary folder goes at the close', async () => {
    bench.limits = { ...bench.limits, late: milliseconds(0) };
    await bench.close();
    await bench.start();
    bench.other.rename('d', 'card/d');
    await agrees();
    bench.other.rename('card/d', 'd');
    await agrees();
    expect(rooms()).toHaveLength(1);
    await bench.close();
    await bench.start();
    await bench.close();
    expect(rooms()).toEqual([]);
    await bench.start();
    await agrees();
  });
});

describe('a local change during a move to another disk', () => {
  it('goes along when it is a save of a file in it', async () => {
    host.at('copying', () => writeFileSync(bench.path('d', 'x'), 'saved meanwhile'));
    bench.other.rename('d', 'card/d');
    await bench.until(() => shown()['card/d/x'] === 'saved meanwhile');
    await agrees();
    expect(Object.keys(shown()).filter((path) => path.includes('conflict'))).toEqual([]);
  });

  it('goes along or stays when it is a new file in it', async () => {
    host.at('copying', () => writeFileSync(bench.path('d', 'new'), 'new'));
    bench.other.rename('d', 'card/d');
    await bench.until(() => shown()['card/d/x'] === 'x');
    await agrees();
    expect(Object.values(shown()).filter((text) => text === 'new')).toHaveLength(1);
  });

  it('is kept beside the file when it is a late write through an open handle', async () => {
    bench.limits = { ...bench.limits, late: milliseconds(50) };
    await bench.close();
    await bench.start();
    const open = openSync(bench.path('d', 'x'), 'r+');
    bench.other.rename('d', 'card/d');
    await bench.until(() => shown()['card/d/x'] === 'x');
    writeSync(open, 'late');
    closeSync(open);
    await bench.until(() => Object.values(shown()).includes('late'));
    await agrees();
    expect(shown()).toMatchObject({ 'card/d/x': 'x' });
    const late = Object.entries(shown()).find(([, text]) => text === 'late');
    expect(late?.[0]).toMatch(/^card\/d\/x .*conflict/);
  });

  it('keeps both files when it takes the target name', async () => {
    host.at('copying', () => writeFileSync(bench.path('card', 'x'), 'mine'));
    bench.other.rename('d/x', 'card/x');
    await bench.volume.until(() => Object.values(bench.volume.tree()).includes('mine'));
    await agrees();
    const texts = Object.values(shown()).filter((text) => text !== '');
    expect(texts.sort()).toEqual(['*.o\n', 'deep', 'mine', 'x']);
  });
});

describe('a crash during a move to another disk', () => {
  it.each([
    ['before it has its new name', 'copying'],
    ['after it has its new name', 'placing'],
  ] as const)('loses nothing %s', async (_, when) => {
    bench.keepRecords();
    let isSeen = false;
    host.at(when, () => (isSeen = true));
    bench.other.rename('d', 'card/d');
    await bench.until(() => isSeen);
    await bench.crash();
    await bench.start();
    await agrees();
    expect(shown()).toMatchObject({ 'card/d/x': 'x', 'card/d/e/deep': 'deep' });
    expect(readdirSync(join(room(), 'tmp'))).toEqual([]);
  });

  /** Calls `act` when `d` is about to get its new name. */
  const atPlacing = (act: () => void): void => {
    const place = host.renameNoReplace.bind(host);
    host.renameNoReplace = (from, to) => {
      if (to.endsWith('/d') && from.includes('/tmp/')) act();
      place(from, to);
    };
  };

  it('leaves each file once when the move was not recorded', async () => {
    atPlacing(() => bench.keepRecords());
    bench.other.rename('d', 'card/d');
    await agrees();
    await bench.crash();
    await bench.start();
    await agrees();
    const texts = Object.values(shown()).filter((text) => text !== '');
    expect(texts.sort()).toEqual(['*.o\n', 'deep', 'x']);
    expect(shown()).toMatchObject({ 'card/d/x': 'x', 'card/d/e/deep': 'deep' });
    expect(bench.volume.tree()).toEqual(shown());
  });

  it('keeps later saves when the move was not recorded', async () => {
    atPlacing(() => bench.keepRecords());
    bench.other.rename('d', 'card/d');
    await agrees();
    await bench.crash();
    const { atime, mtime } = statSync(bench.path('card', 'd', 'x'));
    writeFileSync(bench.path('card', 'd', 'x'), 'y');
    utimesSync(bench.path('card', 'd', 'x'), atime, mtime);
    await bench.start();
    await agrees();
    expect(shown()).toMatchObject({ 'card/d/x': 'y', 'card/d/e/deep': 'deep' });
  });
});

it('files of others in a temporary folder of ours are not synced', async () => {
  const foreign = `.godwit-${'0'.repeat(32)}`;
  mkdirSync(bench.path('card', foreign));
  writeFileSync(bench.path('card', foreign, 'x'), 'x');
  bench.other.mkdir(`card/.godwit-${'1'.repeat(32)}`);
  await bench.other.write('card/doc', 'doc');
  await bench.until(() => shown()['card/doc'] === 'doc');
  await bench.flush();
  expect(Object.keys(bench.volume.tree()).filter((path) => path.includes(foreign))).toEqual([]);
  expect(existsSync(bench.path('card', foreign, 'x'))).toBe(true);
});

it('a hard link to a file on another disk is left out and reported', async () => {
  bench.other.link('d/x', 'card/hard');
  await bench.until(() => bench.folder.status().errors.length > 0);
  expect(bench.folder.status().errors).toEqual([
    expect.objectContaining({ code: 'disk-lacks', path: 'card/hard' }),
  ]);
  expect(existsSync(bench.path('card', 'hard'))).toBe(false);
  expect(bench.volume.tree()).toMatchObject({ 'card/hard': 'x' });
});
