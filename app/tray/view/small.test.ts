/** The small pure parts of the view. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CONFLICT_KINDS } from '../../../shared/control/resolution.ts';
import type { TrafficRates } from '../../../shared/control/snapshot.ts';
import { SETTING_FIELDS } from '../../../shared/control/setting-fields.ts';
import { amountInput, amountLabel, readAmount, wrongAmount } from './amount-input.ts';
import { clockText } from './clock.ts';
import { compareLines, conflictView } from './conflict-view.ts';
import { shareOf, splitPath } from './format.ts';
import { problemCount, problemsOf } from './problems.ts';
import { MOST_SAMPLES, RateHistory } from './rate-history.ts';
import { TEXT } from './text.ts';

describe('the shares and paths of the view', () => {
  it('include a share between 0 and 1, or none', () => {
    expect([shareOf(1, 4), shareOf(9, 4), shareOf(1, 0)]).toEqual([0.25, 1, null]);
  });

  it('split a path into name and folder', () => {
    expect(splitPath('a/b/c')).toEqual({ name: 'c', folder: 'a/b' });
    expect(splitPath('c')).toEqual({ name: 'c', folder: '' });
  });

  it('show the date of a time on another day', () => {
    const now = Date.UTC(2026, 0, 20);
    expect(clockText('2026-01-02T12:00:00Z', now)).toMatch(/2026/);
    expect(clockText(new Date(now).toISOString(), now)).toMatch(/^\d\d:\d\d$/);
    expect(clockText('no time', now)).toBe('no time');
  });
});

const { 'writeback.delay': DELAY, 'writeback.dirty-limit': LIMIT } = SETTING_FIELDS;

describe('an amount in a text field', () => {
  it.each([
    ['', null],
    [' 2.5 ', 2500],
    ['2,5', 2500],
    ['0', 0],
  ])('is read from "%s" as %s', (text, value) =>
    expect(readAmount(text, DELAY)).toEqual({ ok: true, value }),
  );

  it.each(['-1', '1e9', 'lots', '1.2.3', '9'.repeat(13), 'Infinity'])(
    'is refused when it is "%s"',
    (text) => {
      expect(readAmount(text, LIMIT)).toEqual({ ok: false });
    },
  );

  it('is refused beyond the bounds of its setting, which the refusal names', () => {
    expect(readAmount('86400', DELAY)).toEqual({ ok: true, value: 86_400_000 });
    expect(readAmount('86401', DELAY)).toEqual({ ok: false });
    expect(wrongAmount(DELAY)).toBe('Wait after the last write (s): give a number from 0 to 86400');
    expect(readAmount('0', LIMIT)).toEqual({ ok: false });
    expect(wrongAmount(LIMIT)).toBe(`${amountLabel(LIMIT)}: give a number that is not negative`);
  });

  it('is shown as it can be entered', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (millis) => {
        expect(readAmount(amountInput(millis, DELAY), DELAY)).toEqual({ ok: true, value: millis });
      }),
    );
  });
});

describe('the rate history of the tray', () => {
  it('is kept for some minutes and drawn back from the newest sample', () => {
    const history = new RateHistory();
    for (let at = 0; at <= MOST_SAMPLES; at++) history.add(at * 1000, null);
    const [times = [], ...lines] = history.series('up');
    expect([times.length, times[0], times.at(-1)]).toEqual([MOST_SAMPLES, 1 - MOST_SAMPLES, 0]);
    expect(lines).toHaveLength(6);
  });

  it('has the rates of the daemon by class and direction', () => {
    const history = new RateHistory();
    const { rows } = history.now();
    const classes = Object.fromEntries(
      rows.map(({ priorityClass }, at) => [priorityClass, { up: at, down: 10 * at }]),
    ) as unknown as TrafficRates['classes'];
    history.add(0, { up: 99, down: 999, classes });
    expect(history.now().all).toEqual({ up: 99, down: 999 });
    expect(history.series('down').slice(1)).toEqual([[0], [10], [20], [30], [40], [50]]);
  });
});

describe('the view of a conflict', () => {
  const about = { id: 1, when: '', path: 'doc', copy: 'doc (conflict)' };
  it.each(CONFLICT_KINDS)('has a title and at least one side for the kind %s', (kind) => {
    const { title, sides } = conflictView({ ...about, kind });
    expect(title).not.toBe(kind);
    expect(sides.length).toBeGreaterThan(0);
  });

  it('is shown also for an unknown kind', () => {
    expect(conflictView({ ...about, kind: 'later' })).toMatchObject({ title: 'later' });
  });

  it('has one side when the conflict has one path', () => {
    expect(conflictView({ ...about, copy: 'doc', kind: 'removed' }).sides).toHaveLength(1);
  });

  it('says which side is no longer there', () => {
    const { sides } = conflictView({ ...about, kind: 'contents', gone: ['copy'] });
    expect(sides.map(({ where }) => where)).toEqual([
      'The other laptop’s, at its place',
      'This laptop’s, is no longer there',
    ]);
  });

  it('marks the lines that differ, and no line between two of them', () => {
    const [left, right] = compareLines('a\nb\nc\nd', 'A\nb\nc\nD');
    const marks = (lines: typeof left): boolean[] => lines.map(({ differs }) => differs);
    expect([marks(left), marks(right)]).toEqual([
      [true, false, false, true],
      [true, false, false, true],
    ]);
  });

  it('marks every line of texts with too little in common', () => {
    const lines = (word: string): string =>
      Array.from({ length: 600 }, (_, at) => `${word}${at}`).join('\n');
    const [left, right] = compareLines(`same\n${lines('a')}`, `same\n${lines('b')}`);
    expect([...left, ...right].every(({ differs }) => differs)).toBe(true);
  });

  it('marks no line that both texts have in common, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c')).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [left, right] = compareLines(a, b);
        expect(left.map((line) => line.text).join('\n')).toBe(a);
        const same = (lines: typeof left): string[] =>
          lines.filter(({ differs }) => !differs).map((line) => line.text);
        expect(same(left)).toEqual(same(right));
        expect(left.some(({ differs }) => differs) || right.some(({ differs }) => differs)).toBe(
          a !== b,
        );
      }),
    );
  });
});

describe('the list of problems', () => {
  const error = (code: string) => ({ code, message: 'm', remedy: 'r', path: null });
  it('excludes notes and held-back removals', () => {
    const problems = problemsOf(['disk-full', 'put-aside', 'removals-held'].map(error));
    expect(problems.errors.map(({ code }) => code)).toEqual(['disk-full']);
    expect(problems.notes.map(({ code }) => code)).toEqual(['put-aside']);
    expect([problems.guards, problemCount(problems)]).toEqual([true, 2]);
  });
});

it('the counts of the view have commas and plurals', () => {
  expect([TEXT.count(1, 'file'), TEXT.count(1_234_567, 'file')]).toEqual([
    '1 file',
    '1,234,567 files',
  ]);
});
