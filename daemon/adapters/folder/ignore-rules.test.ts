/** Ignore files that nobody should have written: other devices may have. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { IGNORE_FILE } from './default-ignores.ts';
import { ErrorBoard } from './error-board.ts';
import { IgnoreRules, isAffordable } from './ignore-rules.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'godwit-ignore-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('a FIFO in the place of an ignore file is not waited for', () => {
  execFileSync('mkfifo', [join(root, IGNORE_FILE)]);
  expect(new IgnoreRules(root).isIgnored(['a'], false)).toBe(false);
});

it('a link to a device without end is not read', () => {
  symlinkSync('/dev/zero', join(root, IGNORE_FILE));
  expect(new IgnoreRules(root).isIgnored(['a'], false)).toBe(false);
});

it('a pattern that would take hours is left out, and the others count', () => {
  writeFileSync(join(root, IGNORE_FILE), `${'*a'.repeat(20)}*b\n*.o\n`);
  const rules = new IgnoreRules(root);
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
])('can %s be afforded: %s', (pattern, isSo) => {
  expect(isAffordable(pattern)).toBe(isSo);
});

it('a pattern that is left out is told, until the file is right', () => {
  const board = new ErrorBoard(() => {});
  const codes = () => board.list().map(({ code, message }) => `${code} ${message}`);
  writeFileSync(join(root, IGNORE_FILE), '*a*b*c*d\n');
  const rules = new IgnoreRules(root, board);
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
  ['it is no file', (file) => symlinkSync('/dev/zero', file)],
  ['it can not be read (ELOOP)', (file) => symlinkSync(IGNORE_FILE, file)],
])('an ignore file that does not count is told: %s', (why, make) => {
  const file = join(root, IGNORE_FILE);
  const board = new ErrorBoard(() => {});
  const rules = new IgnoreRules(root, board);
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

it('a pattern that is too long is said to be so', () => {
  const board = new ErrorBoard(() => {});
  writeFileSync(join(root, IGNORE_FILE), 'x'.repeat(5000));
  new IgnoreRules(root, board).isIgnored(['x'], false);
  expect(board.list()[0]?.message).toMatch(/^\.godwitignore: `x{60}\.\.\.` is too long$/);
});
