import { describe, expect, it } from '@jest/globals';
import { isName, utf8Length } from './names.ts';
import { wallTime } from './time.ts';
import { conflictName, isoTime, lostNameOf } from './conflict-name.ts';

const WHEN = wallTime(Date.UTC(2026, 10, 21, 9, 8, 7, 999));
const about = { device: 'laptop', wall: WHEN, isDirectory: false };
const MARK = '(conflict, laptop, 2026-11-21 09.08.07)';
const free = (): boolean => false;

describe('the name of a conflict copy', () => {
  it('stays free for any number of copies', () => {
    const taken = new Set<string>();
    for (let count = 0; count < 1200; count++) {
      taken.add(conflictName('a', about, (candidate) => taken.has(candidate)));
    }
    expect(taken.size).toBe(1200);
    expect(taken).toContain('a (conflict, laptop, 2026-11-21 09.08.07 1200)');
  });

  it('leaves space for an ending that the caller appends', () => {
    const name = conflictName('ü'.repeat(127), { ...about, keptBytes: 7 }, free);
    expect(utf8Length(name)).toBeLessThanOrEqual(248);
    expect(isName(`${name}.godwit`)).toBe(true);
  });

  it('replaces characters of a device name that a name may not have', () => {
    const name = conflictName('doc', { ...about, device: 'a/b' }, free);
    expect(name).toBe('doc (conflict, a-b, 2026-11-21 09.08.07)');
  });

  it.each([
    ['doc.txt', `doc ${MARK}.txt`],
    ['doc', `doc ${MARK}`],
    ['.profile', `.profile ${MARK}`],
    ['a.tar.gz', `a.tar ${MARK}.gz`],
    ['ends with.', `ends with. ${MARK}`],
    [`x.${'e'.repeat(30)}`, `x.${'e'.repeat(30)} ${MARK}`],
  ])('keeps the ending of %s', (name, expected) => {
    expect(conflictName(name, about, free)).toBe(expected);
  });

  it("has no ending when it is a directory's", () => {
    const name = conflictName('my.dir', { ...about, isDirectory: true }, free);
    expect(name).toBe(`my.dir ${MARK}`);
  });

  it.each([
    ['doc (conflict, laptop, 2026-11-21 09.08.06).txt', false, `doc ${MARK}.txt`],
    [`doc ${MARK}.txt`, false, 'doc (conflict, laptop, 2026-11-21 09.08.07 2).txt'],
    [`y ${MARK}`, true, 'y (conflict, laptop, 2026-11-21 09.08.07 2)'],
    [
      'doc (conflict, other, 2026-11-21 09.08.06)',
      false,
      `doc (conflict, other, 2026-11-21 09.08.06) ${MARK}`,
    ],
  ])('has one mark of a device, however often it loses: %s', (name, isDirectory, expected) => {
    expect(conflictName(name, { ...about, isDirectory }, (given) => given === name)).toBe(expected);
  });

  it('is numbered when it is taken', () => {
    const taken = new Set([`a ${MARK}`, `a (conflict, laptop, 2026-11-21 09.08.07 2)`]);
    const name = conflictName('a', about, (candidate) => taken.has(candidate));
    expect(name).toBe('a (conflict, laptop, 2026-11-21 09.08.07 3)');
  });

  it.each(['a'.repeat(255), 'ü'.repeat(127), '𝕏'.repeat(63), `${'€'.repeat(80)}.jpeg`])(
    'is a valid name, however long the original is',
    (name) => {
      const copy = conflictName(name, about, free);
      expect(isName(copy)).toBe(true);
      expect(utf8Length(copy)).toBeLessThanOrEqual(255);
      expect(copy).toContain(MARK);
    },
  );
});

it.each([
  [0, '1970-01-01T00:00:00Z'],
  [Date.UTC(2000, 1, 29, 23, 59, 59, 999), '2000-02-29T23:59:59Z'],
  [Date.UTC(2100, 2, 1), '2100-03-01T00:00:00Z'],
  [Date.UTC(1969, 11, 31, 12), '1969-12-31T12:00:00Z'],
])('the ISO time of %d ms is %s', (wall, expected) => {
  expect(isoTime(wallTime(wall))).toBe(expected);
});

it.each([
  ['doc (conflict, ada, 2026-01-31 10.00.00).txt', 'doc.txt'],
  ['doc (conflict, ada, 2026-01-31 10.00.00 2)', 'doc'],
  ['a.b (conflict, my laptop, 2026-01-31 10.00.00, one of many).c', 'a.b.c'],
  ['doc (conflict, ada, 2026-01-31).txt', null],
  ['doc (conflict, ada, 2026-01-31 10.00.00) and more', null],
  [' (conflict, ada, 2026-01-31 10.00.00)', null],
  ['doc', null],
])('the name %j is that of a copy of %j', (name, lost) => expect(lostNameOf(name)).toBe(lost));
