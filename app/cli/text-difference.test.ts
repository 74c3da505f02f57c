/** The unified difference of two texts. */
import { describe, expect, it } from '@jest/globals';
import { textDifference } from './text-difference.ts';

const difference = (before: string, after: string, colours = false, isCut = false) =>
  textDifference({ head: 'theirs', text: before }, { head: 'mine', text: after }, colours, isCut);
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `${from + at}\n`).join('');

describe('the difference of two texts', () => {
  it('shows changed lines among three lines of either side', () => {
    expect(difference('1\n2\n3\n4\n5\n6\n', '1\n2\n3\n4\nfive\n6\n')).toEqual([
      '--- theirs',
      '+++ mine',
      '@@ -2,5 +2,5 @@',
      ...[' 2', ' 3', ' 4', '-5', '+five', ' 6'],
    ]);
  });

  it('includes an empty text, a last line without an end, and equal texts', () => {
    expect(difference('', 'one')?.slice(2)).toEqual([
      '@@ -0,0 +1 @@',
      '+one',
      '\\ No newline at end of file',
    ]);
    expect(difference('one\n', 'one\n')?.slice(2)).toEqual(['(the two texts are the same)']);
  });

  it('keeps tabs, and takes what drives a terminal out of lines', () => {
    expect(difference('a\n', '\tb\u001b[2J\r\n')?.slice(3)).toEqual(['-a', '+\tb\\x1b[2J\\x0d']);
  });

  it('colours heads, ranges and changed lines where colours are wanted', () => {
    expect(difference('a\nb\n', 'a\nc\n', true)).toEqual([
      '\u001b[31m--- theirs\u001b[0m',
      '\u001b[32m+++ mine\u001b[0m',
      '\u001b[34m@@ -1,2 +1,2 @@\u001b[0m',
      ' a',
      '\u001b[31m-b\u001b[0m',
      '\u001b[32m+c\u001b[0m',
    ]);
  });

  it('does not say of texts that were cut that they are the same, nor that they end differently', () => {
    const cut = (before: string, after: string) => difference(before, after, false, true)?.slice(2);
    expect(cut(numbered(0, 9), numbered(0, 9))).toEqual(['(the two texts are the same so far)']);
    expect(cut(numbered(10, 90), `new\n${numbered(10, 88)}8`)).toEqual([
      '@@ -1,3 +1,4 @@',
      ...['+new', ' 10', ' 11', ' 12'],
    ]);
    expect(cut(numbered(10, 90), `${numbered(10, 90)}90\n9`)).toEqual([
      '(the two texts are the same so far)',
    ]);
    expect(cut(`one\n${numbered(10, 14)}`, `1\n${numbered(10, 13)}`)).toEqual([
      '@@ -1,4 +1,4 @@',
      ...['-one', '+1', ' 10', ' 11', ' 12'],
    ]);
    expect(cut('a\nb', 'c\nd')).toContain('-a');
  });

  it('has a bound for its lines, for each line, and for the search', () => {
    const long = difference('', numbered(0, 600)) ?? [];
    expect([long.length, long.at(-1)]).toEqual([2 + 500 + 1, '... and 101 more lines']);
    const wide = difference('', 'x'.repeat(5000)) ?? [];
    expect(Math.max(...wide.map((line) => line.length))).toBe(1000);
    expect(difference(numbered(0, 1500), numbered(1500, 3000))).toBeNull();
  });
});
