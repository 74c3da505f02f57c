/** Properties of files besides their bytes: holes, hard links, modes, times, rights; and files that can't be read or placed at the moment. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Mtime } from '../../shared/model/vnode.ts';
import type { FrontEndHarness } from './front-end-harness.ts';

const MEGABYTE = 1024 * 1024;

export function filesSuite(name: string, start: () => Promise<FrontEndHarness>): void {
  let harness: FrontEndHarness;
  const path = (...names: string[]): string => join(harness.root, ...names);
  const isSame = async (expected: Record<string, string>): Promise<void> => {
    await harness.settled();
    expect(harness.volume()).toEqual(expected);
    expect(harness.tree()).toEqual(expected);
  };
  const codes = (): string[] => harness.errors().map((error) => `${error.code} ${error.path}`);
  const inode = (file: string): number => statSync(path(file)).ino;

  beforeEach(async () => {
    harness = await start();
  });
  afterEach(() => harness.end());

  describe(`sparse files in a front end (${name})`, () => {
    it('arrive with the right bytes and keep their holes here', async () => {
      const fd = openSync(path('image'), 'w');
      ftruncateSync(fd, 8 * MEGABYTE);
      writeSync(fd, 'island', 3 * MEGABYTE + 5);
      closeSync(fd);
      await harness.settled();
      const bytes = harness.volume()['image'] ?? '';
      expect(bytes.length).toBe(8 * MEGABYTE);
      expect(bytes.replaceAll('\0', '')).toBe('island');
      expect(bytes.indexOf('island')).toBe(3 * MEGABYTE + 5);
      const { size, blocks } = statSync(path('image'));
      expect(size).toBe(8 * MEGABYTE);
      expect(blocks * 512 < MEGABYTE).toBe(harness.abilities.holes);
    });

    it('have the right bytes when they come from others, and holes in place of zeros', async () => {
      const image = Buffer.alloc(24 * MEGABYTE + 77);
      image.write('island', MEGABYTE);
      image.fill('land', 5 * MEGABYTE - 3, 7 * MEGABYTE + 9);
      image.write('end', image.length - 3);
      await harness.other.write('image', image);
      await harness.settled();
      expect(readFileSync(path('image')).equals(image)).toBe(true);
      expect(statSync(path('image')).blocks * 512 < 3 * MEGABYTE).toBe(harness.abilities.holes);
      const other = Buffer.concat([image.subarray(5 * MEGABYTE), Buffer.alloc(MEGABYTE)]);
      await harness.other.write('image', other);
      await harness.settled();
      expect(readFileSync(path('image')).equals(other)).toBe(true);
      expect(statSync(path('image')).blocks * 512 < 3 * MEGABYTE).toBe(harness.abilities.holes);
    });
  });

  describe(`hard links in a front end (${name})`, () => {
    it('get a new version under all names at once and remain one file', async () => {
      mkdirSync(path('d'));
      writeFileSync(path('a'), 'one');
      for (const each of ['b', 'd/c']) linkSync(path('a'), path(each));
      await harness.settled();
      await harness.other.write('d/c', 'two');
      await isSame({ a: 'two', b: 'two', 'd/': '', 'd/c': 'two' });
      expect(new Set(['a', 'b', 'd/c'].map(inode)).size).toBe(1);
      expect(statSync(path('a')).nlink).toBe(3);
    });

    it('lose one name when it is saved by rename, and the others stay together', async () => {
      for (const each of ['a', 'b']) {
        if (each === 'a') writeFileSync(path('a'), 'one');
        else linkSync(path('a'), path(each));
      }
      linkSync(path('a'), path('c'));
      await harness.settled();
      writeFileSync(path('b.tmp'), 'own');
      renameSync(path('b.tmp'), path('b'));
      await isSame({ a: 'one', b: 'own', c: 'one' });
      expect(harness.status('a').fid).toBe(harness.status('c').fid);
      expect(harness.status('b').fid).not.toBe(harness.status('a').fid);
      await harness.other.write('c', 'two');
      await isSame({ a: 'two', b: 'own', c: 'two' });
      expect(inode('a')).toBe(inode('c'));
    });

    it('keep what a program put at one name while the set is replaced', async () => {
      writeFileSync(path('a'), 'one');
      linkSync(path('a'), path('b'));
      await harness.settled();
      harness.at('placing', () => undefined);
      harness.at('placing', () => {
        writeFileSync(path('new'), 'mine');
        renameSync(path('new'), path('b'));
      });
      await harness.other.write('a', 'two');
      await harness.settled();
      expect(Object.values(harness.volume())).toContain('mine');
      expect(Object.values(harness.volume())).toContain('two');
    });
  });

  describe(`modes in a front end (${name})`, () => {
    it('lose setuid, setgid and sticky bits when they come from others', async () => {
      await harness.other.write('tool', 'x');
      harness.other.mkdir('shared', 0o3777);
      harness.other.setattr('tool', { mode: 0o6755 });
      await harness.settled();
      expect(statSync(path('tool')).mode & 0o7777).toBe(0o755);
      expect(statSync(path('shared')).mode & 0o7777).toBe(0o777);
    });

    it('keep special bits that were set here, and lose those of a file with its old contents', async () => {
      writeFileSync(path('tool'), 'x');
      mkdirSync(path('shared'));
      chmodSync(path('tool'), 0o4755);
      chmodSync(path('shared'), 0o3775);
      await harness.settled();
      expect(harness.status('tool').mode).toBe(0o755);
      expect(harness.status('shared').mode).toBe(0o775);
      await harness.other.write('tool', 'y');
      harness.other.setattr('shared', { mode: 0o770 });
      harness.other.mkdir('shared/sub');
      await harness.settled();
      expect(statSync(path('tool')).mode & 0o7777).toBe(0o755);
      expect(statSync(path('shared')).mode & 0o7777).toBe(0o3770);
      // It is made in a directory that passes on its group, as any program would make it.
      expect(statSync(path('shared', 'sub')).mode & 0o7777).toBe(0o2755);
    });
  });

  describe(`times in a front end (${name})`, () => {
    it.each([-1_000_000_000, -1, 0, 4_000_000_000])(
      'are kept in both directions, %d s from 1970 on',
      async (time) => {
        writeFileSync(path('mine'), 'mine');
        utimesSync(path('mine'), 1, new Date(time * 1000));
        await harness.other.write('theirs', 'theirs');
        harness.other.setattr('theirs', {
          mtime: String(BigInt(time) * 1_000_000_000n + 7n) as Mtime,
        });
        await harness.settled();
        expect(BigInt(harness.status('mine').mtime)).toBe(BigInt(time) * 1_000_000_000n);
        expect(lstatSync(path('theirs'), { bigint: true }).mtimeNs).toBe(
          BigInt(time) * 1_000_000_000n + 7n,
        );
      },
    );

    it.each(['9000000000000000000', '-9000000000000000000'])(
      'are no local change when the disk cannot keep them (%s ns)',
      async (mtime) => {
        await harness.other.write('a', 'a');
        harness.other.setattr('a', { mtime: mtime as Mtime });
        await harness.settled();
        await harness.settled();
        expect(harness.status('a').mtime).toBe(mtime);
        writeFileSync(path('a'), 'b');
        await isSame({ a: 'b' });
      },
    );
  });

  describe(`a place that fails for a while in a front end (${name})`, () => {
    it('is reported when its file is unreadable, and the file follows when it can be read', async () => {
      harness.refuse('taking', 'secret');
      writeFileSync(path('secret'), 'mine alone');
      writeFileSync(path('other'), 'other');
      await harness.until(() => codes().includes('file-unreadable secret'));
      await harness.until(() => harness.volume()['other'] === 'other');
      expect(Object.values(harness.volume())).not.toContain('mine alone');
      harness.refuse('taking', null);
      await isSame({ secret: 'mine alone', other: 'other' });
      expect(harness.errors()).toEqual([]);
    });

    it.each(['EROFS', 'EACCES', 'EIO'])(
      'is reported when it cannot be written (%s), keeps its file, and is updated later',
      async (code) => {
        writeFileSync(path('a'), 'old');
        await harness.settled();
        harness.refuse('placing', 'a', code);
        await harness.other.write('a', 'new');
        await harness.other.write('b', 'b');
        await harness.until(() => codes().includes('sync-blocked a'));
        await harness.until(() => harness.tree()['b'] === 'b');
        expect(harness.tree()['a']).toBe('old');
        harness.refuse('placing', null);
        await isSame({ a: 'new', b: 'b' });
        expect(harness.errors()).toEqual([]);
      },
    );

    it('is updated when the folder is read-only, and stays read-only', async () => {
      mkdirSync(path('d'));
      writeFileSync(path('d', 'a'), 'a');
      chmodSync(path('d'), 0o555);
      await harness.settled();
      await harness.other.write('d/a', 'b');
      await harness.other.write('d/new', 'new');
      await isSame({ 'd/': '', 'd/a': 'b', 'd/new': 'new' });
      harness.other.remove('d/a');
      await isSame({ 'd/': '', 'd/new': 'new' });
      expect(statSync(path('d')).mode & 0o7777).toBe(0o555);
      chmodSync(path('d'), 0o755);
      unlinkSync(path('d', 'new'));
      await isSame({ 'd/': '' });
    });
  });
}
