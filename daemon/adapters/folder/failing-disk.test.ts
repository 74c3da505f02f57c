/** A disk that fails for a while, at the start and in the background: what it says is told as its own, and the folder goes on when it is well again. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import type { Disk } from './disk/disk.ts';
import { systemDisk } from './disk/system-disk.ts';

let bench: FolderBench;
/** What the disk says to calls for paths that end so; null: it is well. */
let refusal: { readonly code: string; readonly end: string } | null;

beforeEach(() => {
  bench = new FolderBench();
  refusal = null;
});
afterEach(() => bench.destroy());

function refuse(path: string): void {
  if (refusal === null || !path.endsWith(refusal.end)) return;
  const { code } = refusal;
  throw Object.assign(new Error(`${code}: the disk says so`), { code, syscall: 'read' });
}

/** The disk of this machine, with calls that may be refused. */
function failingDisk(): Disk {
  const disk = systemDisk(bench.host);
  const asked =
    <T>(call: (path: string) => T) =>
    (path: string): T => {
      refuse(path);
      return call(path);
    };
  return {
    ...disk,
    readText: asked((path) => disk.readText(path)),
    names: asked((path) => disk.names(path)),
    status: asked((path) => disk.status(path)),
    namesAsBytes: asked((path) => disk.namesAsBytes(path)),
    link: (from, to) => {
      refuse(to);
      disk.link(from, to);
    },
  };
}

const codes = (): string[] => bench.folder.status().errors.map(({ code }) => code);

describe('a folder that is known, at a start', () => {
  it.each(['EIO', 'EACCES', 'ENOTCONN', 'ESTALE'])(
    'waits for its disk where that says %s to its marker',
    async (code) => {
      bench.world = { disk: failingDisk() };
      await bench.start();
      writeFileSync(bench.path('before'), 'there');
      await bench.settled();
      await bench.close();
      refusal = { code, end: 'marker.json' };
      await bench.open();
      expect(codes()).toContain('folder-moved');
      refusal = null;
      await bench.until(() => codes().length === 0);
      writeFileSync(bench.path('after'), 'there');
      await bench.settled();
      expect(bench.volume.tree()).toEqual({ after: 'there', before: 'there' });
    },
  );
});

it.each(['EIO', 'EACCES'])(
  'a placeholder of which the disk says %s is not taken for a removal of its file',
  async (code) => {
    bench.world = { disk: failingDisk() };
    await bench.other.write('big', 'x'.repeat(5000));
    await bench.start();
    const fid = bench.volume.view.find('big') ?? ('' as never);
    expect(await bench.folder.contents?.evict(fid)).toMatchObject({ kind: 'done' });
    refusal = { code, end: 'big.godwit' };
    writeFileSync(bench.path('small'), 'there');
    await bench.folder.scan();
    await bench.until(() => bench.volume.tree()['small'] === 'there');
    expect(Object.keys(bench.volume.tree())).toEqual(['big', 'small']);
    refusal = null;
    await bench.settled();
    expect(codes()).toEqual([]);
    expect(Object.keys(bench.volume.tree())).toEqual(['big', 'small']);
  },
);

it('a start of a folder that its disk does not show fails with a code', async () => {
  bench.world = { disk: failingDisk() };
  refusal = { code: 'EIO', end: '/.' };
  await expect(bench.open()).rejects.toMatchObject({ code: 'disk-failing' });
});

describe('an error of the disk in the background', () => {
  it.each([
    ['EIO', 'disk-failing'],
    ['EACCES', 'disk-failing'],
    ['ENOSPC', 'disk-full'],
  ])('is no failure of the folder: %s', async (code, said) => {
    bench.world = { disk: failingDisk() };
    await bench.start();
    writeFileSync(bench.path('before'), 'there');
    await bench.settled();
    await bench.close();
    refusal = { code, end: '/late' };
    await bench.open();
    await bench.until(() => codes().length > 0);
    expect(codes()).toEqual([said]);
    expect(bench.lines.filter((line) => line.startsWith('error'))).toEqual([]);
    refusal = null;
    await bench.until(() => codes().length === 0);
    writeFileSync(bench.path('after'), 'there');
    await bench.settled();
    expect(bench.volume.tree()).toEqual({ after: 'there', before: 'there' });
  });
});

describe('a second name that the system does not permit', () => {
  const named = (): string[] =>
    bench.folder
      .status()
      .errors.map(({ path }) => path ?? '')
      .sort();
  const waiting = (): Array<string | null> => bench.folder.waiting().map(({ path }) => path);

  beforeEach(async () => {
    bench.world = { disk: failingDisk() };
    await bench.other.write('a', 'a');
    await bench.start();
    refusal = { code: 'EPERM', end: '.link' };
  });

  it('has its own path in the status, until it is in place', async () => {
    bench.other.link('a', 'b.link');
    await bench.until(() => named().length > 0);
    expect(named()).toEqual(['b.link']);
    expect(waiting()).toContain('b.link');
    refusal = null;
    await bench.shows({ a: 'a', 'b.link': 'a' });
    await bench.until(() => named().length === 0);
    await bench.until(() => !waiting().includes('b.link'));
  });

  it('stays in the status when another such comes into place', async () => {
    bench.other.link('a', 'b.link');
    await bench.until(() => named().length === 1);
    bench.other.link('a', 'c.link');
    await bench.until(() => named().length === 2);
    expect(named()).toEqual(['b.link', 'c.link']);
    refusal = { code: 'EPERM', end: 'b.link' };
    await bench.shows({ a: 'a', 'c.link': 'a' });
    await bench.until(() => named().length === 1);
    expect(named()).toEqual(['b.link']);
    refusal = null;
    await bench.until(() => named().length === 0);
    await bench.shows({ a: 'a', 'b.link': 'a', 'c.link': 'a' });
  });

  it('stays in the status when new contents of the file come', async () => {
    bench.other.link('a', 'b.link');
    await bench.until(() => named().length === 1);
    await bench.other.write('a', 'a, later');
    await bench.shows({ a: 'a, later' });
    await bench.until(() => named().length === 1);
    expect(named()).toEqual(['b.link']);
    refusal = null;
    await bench.shows({ a: 'a, later', 'b.link': 'a, later' });
    await bench.until(() => named().length === 0);
  });
});
