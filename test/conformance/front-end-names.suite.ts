/**
 * Names: exact to the byte, as long as a name may be, as deep as a path may be, and such that another system could not take
 * them. What can't be synced is said, and keeps nothing else.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FrontEndHarness } from './front-end-harness.ts';

const COMPOSED = 'r\u00e9sum\u00e9';
const DECOMPOSED = 're\u0301sume\u0301';
/** Each for a reason: a stream, a device, an ending that is cut off, a separator, a pattern, a control character. */
const NOT_FOR_WINDOWS = [
  'a:b',
  'AUX',
  'nul.txt',
  'dot.',
  'space ',
  'back\\slash',
  'what?*',
  '\u0001',
];

export function namesSuite(name: string, start: () => Promise<FrontEndHarness>): void {
  let harness: FrontEndHarness;
  const path = (...names: string[]): string => join(harness.root, ...names);
  const isSame = async (expected: Record<string, string>): Promise<void> => {
    await harness.settled();
    expect(harness.volume()).toEqual(expected);
    expect(harness.tree()).toEqual(expected);
  };
  const codes = (): string[] => harness.errors().map((error) => `${error.code} ${error.path}`);

  beforeEach(async () => {
    harness = await start();
  });
  afterEach(() => harness.end());

  describe(`names that differ little in a front end (${name})`, () => {
    it('are renamed here and elsewhere when only the case changes', async () => {
      mkdirSync(path('Dir'));
      writeFileSync(path('Dir', 'Doc'), 'doc');
      await harness.settled();
      const fids = ['Dir', 'Dir/Doc'].map((each) => harness.status(each).fid);
      renameSync(path('Dir', 'Doc'), path('Dir', 'doc'));
      renameSync(path('Dir'), path('dir'));
      await isSame({ 'dir/': '', 'dir/doc': 'doc' });
      expect(['dir', 'dir/doc'].map((each) => harness.status(each).fid)).toEqual(fids);
      const { ino } = statSync(path('dir', 'doc'));
      harness.other.rename('dir/doc', 'dir/DOC');
      harness.other.rename('dir', 'DIR');
      await isSame({ 'DIR/': '', 'DIR/DOC': 'doc' });
      expect(statSync(path('DIR', 'DOC')).ino).toBe(ino);
    });

    it('are kept as they are when they differ in case or Unicode form, if the disk allows', async () => {
      const mine = ['Doc', COMPOSED];
      const theirs = harness.abilities.exactNames ? ['doc', DECOMPOSED] : [];
      for (const each of mine) writeFileSync(path(each), `mine: ${each}`);
      await harness.settled();
      for (const each of theirs) await harness.other.write(each, `theirs: ${each}`);
      await isSame(
        Object.fromEntries([
          ...mine.map((each): [string, string] => [each, `mine: ${each}`]),
          ...theirs.map((each): [string, string] => [each, `theirs: ${each}`]),
        ]),
      );
      renameSync(path(COMPOSED), path('moved'));
      await harness.settled();
      expect(harness.volume()['moved']).toBe(`mine: ${COMPOSED}`);
    });

    it('change from one Unicode form to the other as a rename', async () => {
      writeFileSync(path(COMPOSED), 'text');
      await harness.settled();
      const { fid } = harness.status(COMPOSED);
      renameSync(path(COMPOSED), path(DECOMPOSED));
      await isSame({ [DECOMPOSED]: 'text' });
      expect(harness.status(DECOMPOSED).fid).toBe(fid);
    });
  });

  describe(`names that some systems refuse in a front end (${name})`, () => {
    it('travel both ways between systems that accept them', async () => {
      for (const each of NOT_FOR_WINDOWS) writeFileSync(path(each), each);
      await harness.settled();
      harness.other.mkdir('c:');
      await harness.other.write('c:/con', 'con');
      const expected = Object.fromEntries(NOT_FOR_WINDOWS.map((each) => [each, each]));
      await isSame({ ...expected, 'c:/': '', 'c:/con': 'con' });
      expect(harness.errors()).toEqual([]);
    });

    it.each(['EINVAL', 'EILSEQ', 'ENAMETOOLONG'])(
      'are reported when the disk refuses one (%s), and all others are shown',
      async (code) => {
        harness.refuse('placing', 'a:b', code);
        await harness.other.write('a:b', 'refused');
        await harness.other.write('fine', 'fine');
        await harness.until(() => codes().includes('name-refused a:b'));
        await harness.until(() => harness.tree()['fine'] === 'fine');
        expect(harness.volume()).toEqual({ 'a:b': 'refused', fine: 'fine' });
        harness.other.rename('a:b', 'a-b');
        await isSame({ 'a-b': 'refused', fine: 'fine' });
        expect(harness.errors()).toEqual([]);
      },
    );

    it('may contain U+FFFD, as may the target of a symlink', async () => {
      const mine = 'mine \ufffd.txt';
      writeFileSync(path(mine), 'mine');
      mkdirSync(path('\ufffd'));
      writeFileSync(path('\ufffd', 'in'), 'in');
      symlinkSync(mine, path('link'));
      await harness.other.write('theirs \ufffd', 'theirs');
      const all = {
        ...{ [mine]: 'mine', '\ufffd/': '', '\ufffd/in': 'in' },
        ...{ link: `-> ${mine}`, 'theirs \ufffd': 'theirs' },
      };
      await isSame(all);
      renameSync(path(mine), path('\ufffd', mine));
      writeFileSync(Buffer.concat([Buffer.from(path('mine ')), Buffer.from([0xff])]), 'no text');
      const { [mine]: moved, ...others } = all;
      await harness.until(() => codes().length > 0);
      await harness.until(() => harness.volume()[`\ufffd/${mine}`] === moved);
      await harness.until(() => harness.volume()[mine] === undefined);
      expect(codes()).toEqual(['name-unusable mine \ufffd']);
      expect(harness.volume()).toEqual({ ...others, [`\ufffd/${mine}`]: moved });
    });

    it('are reported when their bytes are no text, and follow when they are renamed', async () => {
      const bytes = Buffer.concat([Buffer.from(path('d/')), Buffer.from([0x62, 0xe9])]);
      mkdirSync(path('d'));
      writeFileSync(bytes, 'latin');
      writeFileSync(path('d', 'good'), 'good');
      await harness.until(() => harness.errors().length > 0);
      await harness.until(() => harness.volume()['d/good'] === 'good');
      expect(harness.volume()).toEqual({ 'd/': '', 'd/good': 'good' });
      expect(codes()).toEqual(['name-unusable d/b\ufffd']);
      renameSync(bytes, path('d', 'b\u00e9'));
      await isSame({ 'd/': '', 'd/b\u00e9': 'latin', 'd/good': 'good' });
      expect(harness.errors()).toEqual([]);
    });
  });

  describe(`long names and deep paths in a front end (${name})`, () => {
    it('may have 255 bytes and 14 levels', async () => {
      const part = 'ü'.repeat(127) + 'x';
      const mine = Array.from({ length: 14 }, () => part);
      mkdirSync(path(...mine), { recursive: true });
      writeFileSync(path(...mine, part), 'deep');
      await harness.settled();
      const deep = [...mine, part].join('/');
      expect(harness.volume()[deep]).toBe('deep');
      await harness.other.write(deep, 'deeper');
      harness.other.rename(part, 'short');
      await harness.settled();
      const moved = ['short', ...mine.slice(1), part].join('/');
      expect(harness.tree()[moved]).toBe('deeper');
      expect(harness.errors()).toEqual([]);
    });

    it('are reported and left out when they are too deep, and all else goes on', async () => {
      const part = 'p'.repeat(250);
      const script = (then: string): string =>
        `for i in $(seq 20); do mkdir -p ${part} && cd -P ${part} || exit 1; done; ${then}`;
      const inTree = (then: string): string =>
        execFileSync('sh', ['-c', script(then)], { cwd: harness.root, encoding: 'utf8' });
      inTree('printf mine > file');
      writeFileSync(path('beside'), 'beside');
      const parts = (depth: number): string => Array.from({ length: depth }, () => part).join('/');
      await harness.until(() => harness.volume()['beside'] === 'beside');
      await harness.until(() => codes().length > 0);
      expect(codes()[0]).toMatch(/^name-unusable p/);
      expect(harness.volume()[`${parts(20)}/file`]).toBeUndefined();
      // Above that both have the same.
      await harness.until(() => harness.volume()[`${parts(2)}/`] !== undefined);
      await harness.other.write(`${parts(2)}/theirs`, 'theirs');
      await harness.until(() => existsSync(path(part, part, 'theirs')));
      expect(inTree('cat file')).toBe('mine');
      execFileSync('rm', ['-r', path(part)]);
    });
  });

  describe(`special files in a front end (${name})`, () => {
    it('are skipped with a note: pipes, sockets and devices', async () => {
      mkdirSync(path('d'));
      execFileSync('mkfifo', [path('d', 'pipe')]);
      const server = createServer().listen(path('socket'));
      await once(server, 'listening');
      writeFileSync(path('d', 'file'), 'file');
      await isSame({ 'd/': '', 'd/file': 'file' });
      expect(codes()).toEqual(['special-file d/pipe', 'special-file socket']);
      expect(harness.errors()[0]?.message).toBe('a pipe, socket or device is not synced');
      server.close();
      await once(server, 'close');
      unlinkSync(path('d', 'pipe'));
      await harness.settled();
      expect(harness.errors()).toEqual([]);
    });

    it('replace a regular file as its removal, and nobody waits for their contents', async () => {
      writeFileSync(path('a'), 'one');
      writeFileSync(path('b'), 'one');
      await harness.settled();
      harness.at('taking', () => {
        unlinkSync(path('a'));
        execFileSync('mkfifo', [path('a')]);
      });
      writeFileSync(path('a'), 'two');
      await isSame({ b: 'one' });
      expect(codes()).toEqual(['special-file a']);
    });

    it('are not reported when they are ignored', async () => {
      writeFileSync(path('.godwitignore'), '*.sock\n');
      execFileSync('mkfifo', [path('agent.sock')]);
      await isSame({ '.godwitignore': '*.sock\n' });
      expect(harness.errors()).toEqual([]);
    });
  });
}
