import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { z } from 'zod';
import { PLAIN, formOf, type Form } from './form.ts';
import { RPCS, type RpcName } from './rpcs.ts';
import { Scanner, ScanError } from './scan.ts';

const packr = new Packr({ useRecords: false });
const NAMES = Object.keys(RPCS) as RpcName[];

const pair = z.strictObject({ n: z.number(), more: z.array(z.string()).max(3).optional() });
const FORM = formOf(z.strictObject({ list: z.array(pair).max(4), one: pair.nullable() }));

/** How far it read; null: refused. */
function scanned(bytes: Uint8Array, form: Form = FORM): 'taken' | 'refused' {
  const scanner = new Scanner(bytes);
  try {
    scanner.value(form);
    scanner.end();
    return 'taken';
  } catch (error) {
    if (error instanceof ScanError) return 'refused';
    throw error;
  }
}

const packed = (value: unknown): Uint8Array => new Uint8Array(packr.pack(value));

/** The longest list and the deepest value, and whether a map has a key that the form has not. */
function fits(value: unknown, form: Form): boolean {
  if (Array.isArray(value)) {
    const { list } = form;
    return list !== null && value.length <= list.most && value.every((each) => fits(each, list.of));
  }
  if (typeof value !== 'object' || value === null) return true;
  const { map } = form;
  if (map === null) return false;
  return Object.entries(value).every(([key, each]) => {
    const of = map.get(key);
    return of !== undefined && fits(each, of);
  });
}

describe('a scan of a message', () => {
  it.each<[string, unknown]>([
    ['what the form has', { list: [{ n: 1 }, { n: 2, more: ['x'] }], one: null }],
    ['nothing', {}],
    [
      'numbers and texts of every size',
      { one: { n: 2 ** 40 }, list: [{ n: -1.5 }, { n: -70_000 }] },
    ],
  ])('accepts a value like %s', (_, value) => {
    expect(scanned(packed(value))).toBe('taken');
  });

  it.each<[string, unknown]>([
    ['a list that is too long', { list: [1, 2, 3, 4, 5] }],
    ['a list too long further in', { one: { n: 1, more: ['1', '2', '3', '4'] } }],
    ['a list where none may be', { one: { n: [] } }],
    ['a map where none may be', { list: [{ n: {} }] }],
    ['a map in the place of a list', { list: {} }],
    ['a list in the place of a map', [1]],
    ['a key that is unknown', { other: 1 }],
    ['more fields than there are', { a: 1, b: 2, c: 3 }],
    ['a binary', { one: { n: new Uint8Array(3) } }],
    ['an extension', { one: { n: new Date(0) } }],
  ])('refuses a value like %s', (_, value) => {
    expect(scanned(packed(value))).toBe('refused');
  });

  it.each([
    [
      'a list of four thousand million',
      [0x81, 0xa4, 0x6c, 0x69, 0x73, 0x74, 0xdd, 255, 255, 255, 255],
    ],
    ['a map of four thousand million', [0xdf, 255, 255, 255, 255]],
    ['a text longer than the message', [0x81, 0xa3, 0x6f, 0x6e, 0x65, 0xdb, 255, 255, 255, 255]],
    ['a key that is a number', [0x81, 0x01, 0x01]],
    ['a key that is a list', [0x81, 0x90, 0x01]],
    [
      'the same key again and again',
      [0x83, ...[0, 0, 0].flatMap(() => [0xa3, 0x6f, 0x6e, 0x65, 0xc0])],
    ],
    ['half a message', [0x81, 0xa3, 0x6f]],
    ['more than a message', [0x80, 0x80]],
    ['a byte that is never used', [0xc1]],
    ['nothing at all', []],
  ])('refuses bytes like %s', (_, bytes) => {
    expect(scanned(Uint8Array.from(bytes))).toBe('refused');
  });

  it('reads no further than what it refuses, however much there is', () => {
    const deep = new Uint8Array(1 << 20).fill(0x91);
    const wide = packed({ list: Array.from({ length: 60_000 }, () => 0) });
    for (const [bytes, most] of [
      [deep, 1],
      [wide, 11],
    ] as const) {
      const scanner = new Scanner(bytes);
      expect(() => scanner.value(FORM)).toThrow(ScanError);
      expect(scanner.read).toBeLessThanOrEqual(most);
    }
  });

  it('accepts nothing that does not fit, for any value and any bytes', () => {
    const key = fc.constantFrom('list', 'one', 'n', 'more', 'x');
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean(), fc.double()),
        fc.array(tie('any'), { maxLength: 6 }),
        fc.dictionary(key, tie('any'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(any, fc.uint8Array({ maxLength: 4 }), fc.nat(), (value, spoil, at) => {
        const bytes = packed(value);
        expect(scanned(bytes)).toBe(fits(value, FORM) ? 'taken' : 'refused');
        bytes.set(
          spoil.subarray(0, Math.max(0, bytes.length - (at % bytes.length))),
          at % bytes.length,
        );
        if (scanned(bytes) === 'taken') expect(fits(packr.unpack(bytes), FORM)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the form of a message', () => {
  it.each(NAMES)('is known for %s and bounds every list', (name) => {
    for (const part of ['request', 'reply'] as const)
      expect(formOf(RPCS[name][part])).toBeDefined();
  });

  it('is refused when a list has no limit or a part is unknown', () => {
    expect(() => formOf(z.array(z.number()))).toThrow('no limit');
    expect(() => formOf(z.unknown())).toThrow('no form');
    expect(() => formOf(z.strictObject({ a: z.record(z.string(), z.number()) }))).toThrow(
      'no form',
    );
  });

  it('has space for both alternatives of a union', () => {
    const form = formOf(z.union([z.strictObject({ a: z.number() }), z.array(z.null()).max(2)]));
    expect(form).toEqual({ list: { most: 2, of: PLAIN }, map: new Map([['a', PLAIN]]) });
  });
});
