import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isFid, makeFid, parseFid, rootOf, volumeOf, type VolumeId } from './fid.ts';
import { compareNames, isName, nameFault, utf8Length } from './names.ts';
import { moreUrgent, PRIORITY_CLASSES, urgency } from './priority-class.ts';
import { fidsOf, nameAfter } from './update.ts';
import { isDigest, isMtime, mtimeFromMs, type DataVersion, type Mtime } from './vnode.ts';

describe('a fid in a text', () => {
  it('consists of volume, vnode and uniquifier', () => {
    expect(parseFid('7.65536.3')).toEqual({ volume: 7, vnode: 65_536, uniquifier: 3 });
    expect(volumeOf(makeFid(7, 1, 1))).toBe(7);
    expect(rootOf(7 as VolumeId)).toBe('7.1.1');
  });
  it.each([
    '',
    '1',
    '1.2',
    '1.2.3.4',
    '01.2.3',
    '-1.2.3',
    '1.2.4294967296',
    '1.2.x',
    ' 1.2.3',
    '1.2.3\n',
  ])('is refused when it is %j', (text) => expect(isFid(text)).toBe(false));
  it('is accepted exactly when it can be parsed', () => {
    const part = fc.oneof(
      fc.nat({ max: 2 ** 33 }).map(String),
      fc.stringMatching(/^[0-9. -]{0,3}$/),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), (parts) => {
        const text = parts.join('.');
        expect(isFid(text)).toBe(parseFid(text) !== null);
      }),
    );
  });
});

describe('a name of a file', () => {
  it.each(['a', 'grüße', '日本語', 'x'.repeat(255), '...', '-', ' ', 'a\\b'])('may be %j', (name) =>
    expect(nameFault(name)).toBeNull(),
  );
  it.each(['', '.', '..', 'a/b', 'a\0', 'x'.repeat(256), '\ud800'])('may not be %j', (name) =>
    expect(isName(name)).toBe(false),
  );
  it('is measured in bytes of UTF-8', () => {
    for (const text of ['a', 'é', '日', '😀', 'aé日😀'])
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  });
  it('is ordered by code units', () => {
    expect(['b', 'B', 'ä', 'a'].sort(compareNames)).toEqual(['B', 'a', 'b', 'ä']);
  });
});

describe('a priority class', () => {
  it('has an order from VALIDATE to PREFETCH', () => {
    expect(PRIORITY_CLASSES.map(urgency)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(moreUrgent('STORE_DATA', 'FETCH')).toBe('FETCH');
    expect(moreUrgent('VALIDATE', 'PREFETCH')).toBe('VALIDATE');
  });
});

describe('a time or digest in a text', () => {
  it('keeps every nanosecond of a time', () => {
    expect(isMtime('1700000000123456789')).toBe(true);
    expect(isMtime('-5')).toBe(true);
    for (const text of ['', '-0', '01', '1.5', '1e9', '9'.repeat(20)])
      expect(isMtime(text)).toBe(false);
    expect(mtimeFromMs(1.5)).toBe('1500000');
    expect(mtimeFromMs(-1.5)).toBe('-1500000');
    expect(mtimeFromMs(0)).toBe('0');
    expect(mtimeFromMs(-0.0001)).toBe('0');
    // The years 2262 and 1677: what 64 bits of nanoseconds hold. What is beyond is cut.
    for (const late of [1e13 + 1, 8.64e15]) expect(mtimeFromMs(late)).toBe('9223372036854775807');
    expect(mtimeFromMs(-8.64e15)).toBe('-9223372036854775808');
  });
  it('has 64 hex digits for a digest', () => {
    expect(isDigest('a'.repeat(64))).toBe(true);
    for (const text of ['a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64)])
      expect(isDigest(text)).toBe(false);
  });
});

describe('an update in the model', () => {
  it.each([
    ['0123456789abcdef', '0123456789abcdf0'],
    ['ffffffffffffffff', '0000000000000000'],
  ])('has a next name after %s', (name, after) => expect(nameAfter(name)).toBe(after));

  it('lists each of its fids once', () => {
    const [file, dir, other] = [makeFid(1, 5, 1), makeFid(1, 1, 1), makeFid(1, 6, 1)];
    const over = { fid: other, base: 1 as DataVersion };
    const rename = {
      op: 'rename' as const,
      fid: file,
      fromDir: dir,
      fromName: 'a',
      toDir: dir,
      toName: 'b',
    };
    expect(fidsOf({ ...rename, over, at: '0' as Mtime })).toEqual([file, dir, other]);
  });
});
