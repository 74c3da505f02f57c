import { describe, expect, it } from '@jest/globals';
import {
  parseCount,
  parseCountOrNone,
  parseLimit,
  parsePeriod,
  parseSeconds,
  parseBound,
  parseBytes,
  parseSize,
  parseBudget,
  parseTrickle,
} from './arguments.ts';
import { parseVolumePath } from './volume-path.ts';

describe('a volume path', () => {
  it.each([
    ['/', []],
    ['', []],
    ['a', ['a']],
    ['/a/b', ['a', 'b']],
    ['a//b/', ['a', 'b']],
    ['./a/./b', ['a', 'b']],
    ['...', ['...']],
    ['a/../b', ['b']],
    ['/a/b/../../', []],
    ['/größe/ x', ['größe', ' x']],
  ])('is parsed from %j as %j', (text, names) => {
    expect(parseVolumePath(text)).toEqual(names);
  });

  it.each(['..', '/..', 'a/../../b', '/../a'])('is refused above the root, as %s', (text) => {
    expect(() => parseVolumePath(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it.each(['a\0b', `/${'ü'.repeat(200)}`])('is refused when a part of %j is no name', (text) => {
    expect(() => parseVolumePath(text)).toThrow(expect.objectContaining({ code: 'bad-name' }));
  });
});

describe('a number in an argument', () => {
  it('is read as seconds or as a count', () => {
    expect(parseSeconds('1.5')).toBe(1500);
    expect(parseSeconds('0')).toBe(0);
    expect(parseCount('3')).toBe(3);
  });

  it.each(['', '-1', 'x', '1e3', 'Infinity'])('is refused when it is %j', (text) => {
    expect(() => parseSeconds(text)).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => parseCount(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('an amount in an argument', () => {
  it.each([
    [parseCountOrNone('0'), 0],
    [parseCountOrNone('12'), 12],
    [parsePeriod('60s'), 60_000],
    [parsePeriod('2'), 2000],
    [parsePeriod('1.5m'), 90_000],
    [parsePeriod('1h'), 3_600_000],
    [parseBytes('4096'), 4096],
    [parseSize('4096B'), 4096],
    [parseSize('12B'), 12],
    [parseSize('3kB'), 3000],
    [parseSize('10MB'), 10_000_000],
    [parseSize('1.5GB'), 1_500_000_000],
    [parseSize('1.1KiB'), 1126],
    [parseLimit('1.5MB/s'), 1_500_000],
    [parseSize('1GiB'), 2 ** 30],
    [parseSize('0'), 0],
  ])('is read as the value %i: %i', (found, wanted) => expect(found).toBe(wanted));

  it.each([
    [parseCountOrNone, '-1'],
    [parseCountOrNone, ''],
    [parsePeriod, '1d'],
    [parsePeriod, 's'],
    [parseSize, '1iB'],
    [parseSize, '1.5'],
    [parseSize, '1.5B'],
    [parseSize, '1.GB'],
    [parseSize, '1G'],
    [parseSize, '99999TiB'],
    [parseSize, ''],
  ])('is refused by the parser %p for %j', (parse, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('a size without a unit', () => {
  it.each([
    ['a quota or a setting', parseSize],
    ['a bound of the cache', parseBound],
    ['a budget', parseBudget],
    ['a trickle', parseTrickle],
  ])('is refused for %s, with what may be meant, as nobody means 50 bytes', (_, parse) => {
    const remedy = expect.stringMatching(/^say which unit: 50MB/);
    expect(() => parse('50')).toThrow(expect.objectContaining({ code: 'usage', remedy }));
    expect(() => parse('50MB')).not.toThrow(expect.objectContaining({ remedy }));
  });

  it('keeps the time of a rate in its remedy', () => {
    const remedy = 'say which unit: 50MB/day, 50GB/day or 50GiB/day';
    expect(() => parseBudget('50/day')).toThrow(expect.objectContaining({ remedy }));
    expect([parseBudget('0/day'), parseTrickle('0'), parseSize('0')]).toEqual([0, 0, 0]);
  });
});

describe('a network budget', () => {
  it('is a size for a day or a second, or auto', () => {
    expect([parseBudget('200MB/day'), parseBudget('1GiB'), parseBudget('none')]).toEqual([
      200_000_000,
      1024 ** 3,
      'auto',
    ]);
    expect([parseTrickle('64KB'), parseTrickle('64KB/s'), parseTrickle('auto')]).toEqual([
      64_000,
      64_000,
      'auto',
    ]);
  });

  it.each(['', '/day', '5MB/week', '5MB/day/day', '-1', 'all'])(
    'is refused when it is "%s"',
    (text) => {
      expect(() => parseBudget(text)).toThrow(expect.objectContaining({ code: 'usage' }));
    },
  );
});
