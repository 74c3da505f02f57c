/** Ignore files that nobody should have written: other devices may have. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { IGNORE_FILE } from '../../../../shared/control/default-ignores.ts';
import { ErrorBoard } from '../error-board.ts';
import { readSmall } from '../disk/system-disk.ts';
import { IgnoreRules, isAffordable } from './ignore-rules.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-ignore-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('a FIFO in place of an ignore file is not waited for', () => {
  execFileSync('mkfifo', [join(root, IGNORE_FILE)]);
  expect(new IgnoreRules(root, { readSmall }).isIgnored(['a'], false)).toBe(false);
});

it('a link in place of an ignore file is reported and not followed', () => {
  const board = new ErrorBoard(() => {});
  writeFileSync(join(root, 'rules'), 'a\n');
  for (const target of ['rules', '/dev/zero', 'nowhere']) {
    symlinkSync(target, join(root, IGNORE_FILE));
    const rules = new IgnoreRules(root, { readSmall }, board);
    rules.reload();
    expect(rules.isIgnored(['a'], false)).toBe(false);
    expect(board.list().map(({ code, message }) => `${code} ${message}`)).toEqual([
      'ignore-file .godwitignore: it is a link, which is not followed, and does not count',
    ]);
    rmSync(join(root, IGNORE_FILE));
  }
});

it.each([
  ['a path that is longer than any disk can hold', 'a/'.repeat(3000)],
  ['a name that is longer than any disk can hold', `${'a'.repeat(300)}/`],
  ['a path through a file', 'file/'],
])('a question about %s reports no error', (_what, path) => {
  const board = new ErrorBoard(() => {});
  writeFileSync(join(root, 'file'), '');
  const rules = new IgnoreRules(root, { readSmall }, board);
  expect(rules.reasonOf(`${path}x`.split('/'), false)).toBeNull();
  expect(rules.isIgnored(`${path}x`.split('/'), false)).toBe(false);
  expect(board.list()).toEqual([]);
});

it.each<[string, string | null]>([
  ['chapter.part', null],
  ['desktop.ini', null],
  ['photo.jpg.crdownload', 'ignored by the default rule *.crdownload'],
  ['a/.DS_Store', 'ignored by the default rule .DS_Store'],
  ['.nfs-notes', null],
  [`.nfs${'0123456789abcdef01234567'}`, `ignored by the default rule .nfs${'?'.repeat(24)}`],
  ['x.o', 'ignored by /.godwitignore line 3: *.o'],
  ['d/keep.o', null],
  ['d/out/x', 'in /d/out, which is ignored by /d/.godwitignore line 2: out/'],
  ['out', null],
  ['.godwit/x', 'it belongs to Godwit'],
])('the rule that ignores a path is named: %s', (path, reason) => {
  mkdirSync(join(root, 'd'));
  writeFileSync(join(root, IGNORE_FILE), '# objects\n\n*.o\n');
  writeFileSync(join(root, 'd', IGNORE_FILE), '!keep.o\r\nout/\r\n');
  const rules = new IgnoreRules(root, { readSmall });
  expect(rules.reasonOf(path.split('/'), false)).toBe(reason);
  expect(rules.isIgnored(path.split('/'), false)).toBe(reason !== null);
});

it('the rule of a mounted volume is named with the volume', () => {
  writeFileSync(join(root, IGNORE_FILE), '*.o\n');
  const rules = new IgnoreRules(root, { readSmall });
  rules.volume = 'photos:';
  expect(rules.reasonOf(['x.o'], false)).toBe('ignored by photos:/.godwitignore line 1: *.o');
});

it('a pattern that would take hours is left out, and the others count', () => {
  writeFileSync(join(root, IGNORE_FILE), `${'*a'.repeat(20)}*b\n*.o\n`);
  const rules = new IgnoreRules(root, { readSmall });
  expect(rules.isIgnored(['a'.repeat(200)], false)).toBe(false);
  expect(rules.isIgnored(['x.o'], false)).toBe(true);
});

it.each([
  ['*.o', true],
  ['**/build/**/*.min.*', true],
  ['a***********b', true],
  ['*a*b*c*d', false],
  ['a/**/b/**/c/**/d/**/e/**/f/**/g/**', false],
  ['x'.repeat(5000), false],
])('the pattern %s is affordable: %s', (pattern, isSo) => {
  expect(isAffordable(pattern)).toBe(isSo);
});

it('a pattern that is left out is reported until the file is corrected', () => {
  const board = new ErrorBoard(() => {});
  const codes = () => board.list().map(({ code, message }) => `${code} ${message}`);
  writeFileSync(join(root, IGNORE_FILE), '*a*b*c*d\n');
  const rules = new IgnoreRules(root, { readSmall }, board);
  rules.isIgnored(['x'], false);
  expect(codes()).toEqual(['ignore-pattern .godwitignore: `*a*b*c*d` has too many stars']);
  writeFileSync(join(root, IGNORE_FILE), '*d\n');
  rules.reload();
  rules.isIgnored(['x'], false);
  expect(codes()).toEqual([]);
});

it.each<[string, (file: string) => void]>([
  ['it is larger than 256 KiB', (file) => writeFileSync(file, '*.o\n'.repeat(70_000))],
  ['it is no file', (file) => mkdirSync(file)],
  ['it is a link, which is not followed', (file) => symlinkSync('/dev/zero', file)],
  ['it is a link, which is not followed', (file) => symlinkSync(IGNORE_FILE, file)],
])('an ignore file that does not count is reported: %s', (why, make) => {
  const file = join(root, IGNORE_FILE);
  const board = new ErrorBoard(() => {});
  const rules = new IgnoreRules(root, { readSmall }, board);
  make(file);
  expect(rules.isIgnored(['x.o'], false)).toBe(false);
  expect(board.list()).toMatchObject([
    { code: 'ignore-file', message: `.godwitignore: ${why}, and does not count` },
  ]);
  rmSync(file, { recursive: true });
  rules.reload();
  expect(rules.isIgnored(['x.o'], false)).toBe(false);
  expect(board.list()).toEqual([]);
});

it('a pattern that is too long is reported', () => {
  const board = new ErrorBoard(() => {});
  writeFileSync(join(root, IGNORE_FILE), 'x'.repeat(5000));
  new IgnoreRules(root, { readSmall }, board).isIgnored(['x'], false);
  expect(board.list()[0]?.message).toMatch(/^\.godwitignore: `x{60}\.\.\.` is too long$/);
});

it('a path of many names takes steps linear in its depth, also with ignore files on the way', () => {
  const deep = (depth: number): string[] => Array.from({ length: depth }, () => 'd');
  const joins = jest.spyOn(Array.prototype, 'join');
  const steps = (depth: number): number => {
    const text = Buffer.from('!kept\n');
    const at = `/nowhere/d/d/${IGNORE_FILE}`;
    const rules = new IgnoreRules('/nowhere', {
      readSmall: (file) => (file === at ? text : absent()),
    });
    rules.isIgnored(deep(depth), true);
    joins.mockClear();
    expect(rules.isIgnored([...deep(depth), 'name'], false)).toBe(false);
    return joins.mock.calls.length;
  };
  try {
    const [short, long] = [steps(100), steps(1000)];
    expect(short).toBeGreaterThan(0);
    expect(long).toBeLessThan(20 * short);
  } finally {
    joins.mockRestore();
  }
});

const absent = (): never => {
  throw Object.assign(new Error('nothing is there'), { code: 'ENOENT' });
};

it('the rules of a file are news once, and again when they have changed in between', () => {
  const file = join(root, IGNORE_FILE);
  const rules = new IgnoreRules(root, { readSmall });
  const isNews = (): boolean => rules.isNews(IGNORE_FILE);
  writeFileSync(file, '*.o\n');
  expect([isNews(), isNews()]).toEqual([true, false]);
  writeFileSync(file, '*.a\n');
  expect([isNews(), isNews()]).toEqual([true, false]);
  writeFileSync(file, '*.o\n');
  rules.reload();
  expect(rules.isIgnored(['x.o'], false)).toBe(true);
  writeFileSync(file, '*.a\n');
  expect([isNews(), isNews()]).toEqual([true, false]);
  rmSync(file);
  expect([isNews(), isNews()]).toEqual([true, false]);
});

it('the rules on a disk that does not answer are no news', () => {
  mkdirSync(join(root, 'disk'));
  writeFileSync(join(root, 'disk', IGNORE_FILE), '*.o\n');
  const rules = new IgnoreRules(root, { readSmall }, null, (path) => path[0] === 'disk');
  expect(rules.isNews(`disk/${IGNORE_FILE}`)).toBe(false);
});
