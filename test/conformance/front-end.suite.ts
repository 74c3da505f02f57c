/**
 * What every front end must do: whatever is done to its tree by ordinary programs gets into the volume, and whatever
 * others commit to the volume shows in its tree.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Mtime } from '../../shared/model/vnode.ts';
import type { FrontEndHarness } from './front-end-harness.ts';
import { othersClauses } from './front-end-others.ts';

export function frontEndSuite(name: string, start: () => Promise<FrontEndHarness>): void {
  let harness: FrontEndHarness;
  const path = (...names: string[]): string => join(harness.root, ...names);
  const isSame = async (expected: Record<string, string>): Promise<void> => {
    await harness.settled();
    expect(harness.volume()).toEqual(expected);
    expect(harness.tree()).toEqual(expected);
  };

  beforeEach(async () => {
    harness = await start();
  });
  afterEach(() => harness.end());

  describe(`a front end and local programs (${name})`, () => {
    it('uploads files, directories and symlinks', async () => {
      mkdirSync(path('d', 'e'), { recursive: true });
      writeFileSync(path('d', 'e', 'file'), 'contents');
      writeFileSync(path('empty'), '');
      symlinkSync('d/e', path('link'));
      symlinkSync('nowhere', path('dangling'));
      await isSame({
        'd/': '',
        'd/e/': '',
        'd/e/file': 'contents',
        empty: '',
        link: '-> d/e',
        dangling: '-> nowhere',
      });
    });

    it('uploads rewrites, appends and truncations', async () => {
      for (const file of ['a', 'b', 'c']) writeFileSync(path(file), 'first');
      await harness.settled();
      writeFileSync(path('a'), 'second');
      appendFileSync(path('b'), ' and more');
      writeFileSync(path('c'), '');
      await isSame({ a: 'second', b: 'first and more', c: '' });
      expect(harness.status('a').version).toBe(2);
    });

    it('uploads modes and times', async () => {
      writeFileSync(path('tool'), '#!');
      await harness.settled();
      chmodSync(path('tool'), 0o751);
      utimesSync(path('tool'), 1, 1_000_000_000);
      await harness.settled();
      expect(harness.status('tool')).toMatchObject({ mode: 0o751, mtime: '1000000000000000000' });
      expect(harness.status('tool').version).toBe(1);
    });

    it('uploads a rename as a rename of the same vnode', async () => {
      mkdirSync(path('d'));
      writeFileSync(path('a'), 'a');
      writeFileSync(path('d', 'x'), 'x');
      await harness.settled();
      const fids = ['a', 'd', 'd/x'].map((file) => harness.status(file).fid);
      renameSync(path('a'), path('d', 'a2'));
      renameSync(path('d'), path('e'));
      await isSame({ 'e/': '', 'e/a2': 'a', 'e/x': 'x' });
      expect(['e/a2', 'e', 'e/x'].map((file) => harness.status(file).fid)).toEqual(fids);
    });

    it('uploads a save by rename over the old file', async () => {
      writeFileSync(path('doc'), 'one');
      await harness.settled();
      writeFileSync(path('doc.tmp'), 'two');
      renameSync(path('doc.tmp'), path('doc'));
      await isSame({ doc: 'two' });
    });

    it('uploads hard links as one vnode', async () => {
      writeFileSync(path('a'), 'one');
      linkSync(path('a'), path('b'));
      await harness.settled();
      expect(harness.status('a').fid).toBe(harness.status('b').fid);
      expect(harness.status('a').links).toBe(2);
      writeFileSync(path('b'), 'two');
      await isSame({ a: 'two', b: 'two' });
      unlinkSync(path('a'));
      await isSame({ b: 'two' });
    });

    it('uploads removals of files and directories', async () => {
      mkdirSync(path('d', 'e'), { recursive: true });
      mkdirSync(path('gone'));
      writeFileSync(path('d', 'e', 'x'), 'x');
      writeFileSync(path('a'), 'a');
      await harness.settled();
      rmSync(path('d'), { recursive: true });
      unlinkSync(path('a'));
      rmdirSync(path('gone'));
      await isSame({});
    });

    it('uploads files with any name', async () => {
      const names = [
        'ünïcödé',
        'with space',
        '\u{1f426}',
        'a'.repeat(255),
        '-rf',
        '.hidden',
        'new\nline',
      ];
      for (const each of names) writeFileSync(path(each), each);
      await isSame(Object.fromEntries(names.map((each) => [each, each])));
    });
  });

  describe(`a front end and changes of others (${name})`, () => {
    othersClauses(() => harness, isSame);

    it('shows files, directories and symlinks', async () => {
      harness.other.mkdir('d');
      await harness.other.write('d/file', 'contents');
      await harness.other.write('empty', '');
      harness.other.symlink('link', 'd/file');
      await isSame({ 'd/': '', 'd/file': 'contents', empty: '', link: '-> d/file' });
      expect(readFileSync(path('link'), 'utf8')).toBe('contents');
      expect(readlinkSync(path('link'))).toBe('d/file');
    });

    it('changes modes and times, without setuid', async () => {
      await harness.other.write('a', 'a');
      harness.other.setattr('a', { mode: 0o6755, mtime: '1234567890000000000' as Mtime });
      await harness.settled();
      expect(statSync(path('a')).mode & 0o777).toBe(0o755);
      expect(lstatSync(path('a'), { bigint: true }).mtimeNs).toBe(1234567890000000000n);
    });

    it('changes the time of a symlink by making it anew', async () => {
      harness.other.symlink('link', 'nowhere');
      await harness.settled();
      harness.other.setattr('link', { mtime: '1234567890000000001' as Mtime });
      await harness.settled();
      expect(lstatSync(path('link'), { bigint: true }).mtimeNs).toBe(1234567890000000001n);
      rmSync(path('link'));
      symlinkSync('nowhere', path('link'));
      await harness.settled();
      const { mtimeNs } = lstatSync(path('link'), { bigint: true });
      expect(harness.status('link').mtime).toBe(String(mtimeNs));
    });

    it('leaves nothing of a removed directory', async () => {
      harness.other.mkdir('d');
      await harness.settled();
      harness.other.remove('d');
      await harness.settled();
      expect(existsSync(path('d'))).toBe(false);
    });

    it('shows hard links as hard links', async () => {
      await harness.other.write('a', 'a');
      harness.other.link('a', 'b');
      await isSame({ a: 'a', b: 'a' });
      expect(statSync(path('a')).ino).toBe(statSync(path('b')).ino);
    });
  });

  describe(`a front end with changes on both sides (${name})`, () => {
    it('merges new files in one directory', async () => {
      harness.other.mkdir('d');
      await harness.settled();
      writeFileSync(path('d', 'mine'), 'mine');
      await harness.other.write('d/theirs', 'theirs');
      await isSame({ 'd/': '', 'd/mine': 'mine', 'd/theirs': 'theirs' });
    });

    it('alternates between both sides on one file', async () => {
      writeFileSync(path('a'), 'mine');
      await harness.settled();
      await harness.other.write('a', 'theirs');
      await harness.settled();
      writeFileSync(path('a'), 'mine again');
      await isSame({ a: 'mine again' });
    });
  });
}
