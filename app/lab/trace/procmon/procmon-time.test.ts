import { describe, expect, test } from '@jest/globals';
import { ProcmonClock, readClock } from './procmon-time.ts';

const HOUR = 3_600_000_000;

describe('a time of day in a CSV', () => {
  test.each<[string, number | null]>([
    ['18:40:23.1038915', 18 * HOUR + 40 * 60e6 + 23_103_891],
    ['18:40:23,1038915', 18 * HOUR + 40 * 60e6 + 23_103_891],
    ['18.40.23,1038915', 18 * HOUR + 40 * 60e6 + 23_103_891],
    ['6:40:23.1038915 PM', 18 * HOUR + 40 * 60e6 + 23_103_891],
    ['6:40:23.5\u202fp.m.', 18 * HOUR + 40 * 60e6 + 23_500_000],
    ['12:00:00.0 AM', 0],
    ['12:00:00 PM', 12 * HOUR],
    ['午後 6:40:23', 18 * HOUR + 40 * 60e6 + 23e6],
    ['10/04/2019 18:40:23', 18 * HOUR + 40 * 60e6 + 23e6],
    ['00:00:12.5', 12_500_000],
    ['47:57.9', 47 * 60e6 + 57_900_000],
    ['18:40', null],
    ['13:00:00 PM', null],
    ['24:00:00', null],
    ['1:60:00', null],
    ['noon', null],
    ['', null],
  ])('is read from "%s"', (text, us) => {
    expect(readClock(text)?.us ?? null).toBe(us);
  });
});

describe('the clock of a trace', () => {
  test.each<[string, string[], Array<number | string>]>([
    ['begins at 0', ['18:40:23.5', '18:40:24'], [0, 500_000]],
    ['goes on after midnight', ['23:59:59.9', '0:00:00.1', '0:00:01'], [0, 200_000, 1_100_000]],
    ['goes on after midnight of twelve hours', ['11:59:59.9 PM', '12:00:00.1 AM'], [0, 200_000]],
    ['goes on after noon', ['11:59:59.9 AM', '12:00:00.1 PM'], [0, 200_000]],
    [
      'goes on after an hour without hours',
      ['59:59.9', '00:00.4', '59:59.0', '00:01.0'],
      [0, 500_000, 3_599_100_000, 3_601_100_000],
    ],
    [
      'stands still where rows are a little out of order',
      ['10:00:00.5', '10:00:00.2', '10:00:01'],
      [0, 0, 500_000],
    ],
    [
      'does not go back',
      ['10:00:05', '10:00:01', '10:00:06'],
      [0, 'expected rows in the order of their times', 1e6],
    ],
    [
      'keeps to one clock',
      ['10:00:05', '00:05.5'],
      [0, 'expected a time with hours, or without, as in the rows before'],
    ],
  ])('is continuous: it %s', (_name, texts, expected) => {
    const clock = new ProcmonClock();
    expect(texts.map((text) => clock.read(text))).toEqual(expected);
  });
});
