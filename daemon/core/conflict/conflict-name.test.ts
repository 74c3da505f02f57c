import { describe, expect, it } from '@jest/globals';
import { isName, utf8Length } from '../../../shared/model/names.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { conflictName, isoTime, lostNameOf, shownTime } from './conflict-name.ts';

const WHEN = wallTime(Date.UTC(2026, 10, 21, 9, 8, 7, 999));
const about = { device: 'laptop', wall: WHEN, isDirectory: false };
const MARK = '(conflict, laptop, 2026-11-21 09.08.07)';
const free = (): boolean => false;

describe('the name of a conflict copy', () => {
  it.each([
    ['doc.txt', `doc ${MARK}.txt`],
    ['doc', `doc ${MARK}`],
    ['.profile', `.profile ${MARK}`],
    ['a.tar.gz', `a.tar ${MARK}.gz`],
    ['ends with.', `ends with. ${MARK}`],
    [`x.${'e'.repeat(30)}`, `x.${'e'.repeat(30)} ${MARK}`],
  ])('of %s', (name, expected) => {
    expect(conflictName(name, about, free)).toBe(expected);
  });

  it('of a directory has no ending', () => {
    const name = conflictName('my.dir', { ...about, isDirectory: true }, free);
    expect(name).toBe(`my.dir ${MARK}`);
  });

  it('is free', () => {
    const taken = new Set([`a ${MARK}`, `a (conflict, laptop, 2026-11-21 09.08.07 2)`]);
    const name = conflictName('a', about, (candidate) => taken.has(candidate));
    expect(name).toBe('a (conflict, laptop, 2026-11-21 09.08.07 3)');
  });

  it.each(['a'.repeat(255), 'ü'.repeat(127), '𝕏'.repeat(63), `${'€'.repeat(80)}.jpeg`])(
    'is a name, however long the other is',
    (name) => {
      const copy = conflictName(name, about, free);
      expect(isName(copy)).toBe(true);
      expect(utf8Length(copy)).toBeLessThanOrEqual(255);
      expect(copy).toContain(MARK);
    },
  );
});

it.each([
  [0, '1970-01-01 00.00.00'],
  [Date.UTC(2000, 1, 29, 23, 59, 59), '2000-02-29 23.59.59'],
  [Date.UTC(2100, 2, 1), '2100-03-01 00.00.00'],
  [Date.UTC(1969, 11, 31, 12), '1969-12-31 12.00.00'],
  [Date.UTC(2024, 11, 31, 1, 2, 3), '2024-12-31 01.02.03'],
])('shows %d as %s', (wall, expected) => {
  expect(shownTime(wallTime(wall))).toBe(expected);
  expect(isoTime(wallTime(wall))).toBe(`${new Date(wall).toISOString().slice(0, 19)}Z`);
});

it.each([
  ['doc (conflict, ada, 2026-01-31 10.00.00).txt', 'doc.txt'],
  ['doc (conflict, ada, 2026-01-31 10.00.00 2)', 'doc'],
  ['a.b (conflict, my laptop, 2026-01-31 10.00.00, one of many).c', 'a.b.c'],
  ['doc (conflict, ada, 2026-01-31).txt', null],
  ['doc (conflict, ada, 2026-01-31 10.00.00) and more', null],
  [' (conflict, ada, 2026-01-31 10.00.00)', null],
  ['doc', null],
])('%j is a copy of %j', (name, lost) => expect(lostNameOf(name)).toBe(lost));
