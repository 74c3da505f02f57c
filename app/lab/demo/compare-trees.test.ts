import {
  chmodSync,
  cpSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compareTrees, countTree } from './compare-trees.ts';
import { readTree } from './read-tree.ts';

let base: string;
let original: string;
let copy: string;
const at = (path: string): string => join(copy, path);

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'godwit-trees-'));
  original = join(base, 'original');
  mkdirSync(join(original, 'folder/empty'), { recursive: true });
  writeFileSync(join(original, 'folder/file'), 'contents');
  writeFileSync(join(original, 'folder/other'), 'contents too');
  writeFileSync(join(original, 'zero'), '');
  linkSync(join(original, 'folder/file'), join(original, 'second name'));
  symlinkSync('folder/file', join(original, 'link'));
  writeFileSync(join(original, 'größe'), 'ü');
});
afterAll(() => rmSync(base, { recursive: true }));

beforeEach(() => {
  copy = join(base, 'copy');
  rmSync(copy, { recursive: true, force: true });
  execFileSync('cp', ['-a', original, copy]);
});

const differences = () => compareTrees(readTree(original), readTree(copy));

/** Without the times of folders, which the change itself changes. */
const aspects = () =>
  differences()
    .filter(({ path, aspect }) => !(aspect === 'mtime' && path.startsWith('folder')))
    .map(({ path, aspect }) => `${path}: ${aspect}`);

describe('a complete copy of a tree', () => {
  it('is equal to the original', () => {
    expect(differences()).toEqual([]);
    expect(countTree(readTree(copy))).toEqual({ files: 5, folders: 2, symlinks: 1, links: 1 });
  });

  it('may lack what is left out of the comparison', () => {
    mkdirSync(at('.own'));
    writeFileSync(at('.own/x'), '');
    expect(
      compareTrees(
        readTree(original),
        readTree(copy, (path) => path === '.own'),
      ),
    ).toEqual([]);
  });
});

describe('the comparison of trees', () => {
  const time = new Date('2001-02-03T04:05:06.007Z');

  it.each<[string, () => void, string]>([
    ['a file that is missing', () => rmSync(at('zero')), 'zero: missing'],
    [
      'an empty folder that is missing',
      () => rmdirSync(at('folder/empty')),
      'folder/empty: missing',
    ],
    ['a file too many', () => writeFileSync(at('new'), ''), 'new: extra'],
    [
      'a folder in place of a file',
      () => {
        rmSync(at('zero'));
        mkdirSync(at('zero'));
      },
      'zero: kind',
    ],
    [
      'a file in place of its symlink',
      () => {
        rmSync(at('link'));
        cpSync(join(original, 'folder/file'), at('link'));
      },
      'link: kind',
    ],
    [
      'contents of the same size and time',
      () => {
        const { mtimeNs } = readTree(original).get('folder/other') as { mtimeNs: bigint };
        writeFileSync(at('folder/other'), 'contents TOO');
        execFileSync('touch', ['-d', `@${seconds(mtimeNs)}`, at('folder/other')]);
      },
      'folder/other: contents',
    ],
    ['the mode of a file', () => chmodSync(at('zero'), 0o755), 'zero: mode'],
    ['the mode of a folder', () => chmodSync(at('folder/empty'), 0o700), 'folder/empty: mode'],
    ['the time of a file', () => utimesSync(at('zero'), time, time), 'zero: mtime'],
    [
      'a nanosecond',
      () => {
        const { mtimeNs } = readTree(original).get('zero') as { mtimeNs: bigint };
        execFileSync('touch', ['-d', `@${seconds(mtimeNs + 1n)}`, at('zero')]);
      },
      'zero: mtime',
    ],
    ['the time of a symlink', () => lutimesSync(at('link'), time, time), 'link: mtime'],
    [
      'a name that became a file of its own',
      () => {
        rmSync(at('second name'));
        execFileSync('cp', ['-a', at('folder/file'), at('second name')]);
      },
      'second name: hard links',
    ],
    [
      'files that became one',
      () => {
        rmSync(at('zero'));
        linkSync(at('folder/other'), at('zero'));
      },
      'zero: hard links',
    ],
    [
      'another spelling of the same letter',
      () => {
        rmSync(at('größe'));
        writeFileSync(at('größe'.normalize('NFD')), 'ü');
      },
      'größe: missing',
    ],
  ])('finds and names %s', (_what, change, wanted) => {
    change();
    expect(aspects()).toContain(wanted);
  });

  it('finds only the target of a symlink when that differs', () => {
    const { mtimeNs } = readTree(original).get('link') as { mtimeNs: bigint };
    rmSync(at('link'));
    symlinkSync('folder/FILE', at('link'));
    execFileSync('touch', ['-h', '-d', `@${seconds(mtimeNs)}`, at('link')]);
    expect(aspects()).toEqual(['link: target']);
  });

  it('finds the time of a folder', () => {
    utimesSync(at('folder/empty'), time, time);
    expect(differences().map(({ path, aspect }) => `${path}: ${aspect}`)).toEqual([
      'folder/empty: mtime',
    ]);
  });
});

function seconds(nanoseconds: bigint): string {
  return `${nanoseconds / 1_000_000_000n}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}`;
}
