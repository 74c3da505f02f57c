import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Digest } from '../../../shared/model/vnode.ts';
import { encodeHeader, HEADER_BYTES, scanRecords, type Entry } from './record.ts';

const MARK = Buffer.from('0123456789abcdef', 'hex');
const digestOf = (number: number): Digest => number.toString(16).padStart(64, '0') as Digest;

function entryOf(number: number, bytes: Uint8Array): Entry {
  const kind = bytes.length === 0 ? 'removal' : 'content';
  return { kind, digest: digestOf(number), when: 1_700_000_000_000 + number, bytes };
}

const pack = (entries: readonly Entry[]): Buffer =>
  Buffer.concat(entries.flatMap((entry) => [encodeHeader(MARK, entry), entry.bytes]));

const bodies = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 });

describe('a pack', () => {
  it('gives the records that were written, and where their bodies lie', () => {
    fc.assert(
      fc.property(bodies, fc.nat(1000), (list, from) => {
        const entries = list.map((bytes, number) => entryOf(number, bytes));
        const bytes = pack(entries);
        const scan = scanRecords(bytes, MARK, from);
        expect(scan).toMatchObject({ end: from + bytes.length, strayBytes: 0 });
        const found = scan.records.map(({ kind, digest, when, offset, length }) => {
          const body = bytes.subarray(offset - from, offset - from + length);
          return { kind, digest, when, bytes: new Uint8Array(body) };
        });
        expect(found).toEqual(entries);
      }),
    );
  });

  it('that was cut anywhere gives the records before the cut', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (list, cut) => {
        const entries = list.map((bytes, number) => entryOf(number, bytes));
        const bytes = pack(entries);
        const kept = bytes.subarray(0, cut % (bytes.length + 1));
        const { records, end } = scanRecords(kept, MARK, 0);
        expect(end).toBeLessThanOrEqual(kept.length);
        expect(kept.length - end).toBeLessThan(HEADER_BYTES + 200);
        expect(records.map(({ digest }) => digest)).toEqual(
          entries.slice(0, records.length).map(({ digest }) => digest),
        );
      }),
    );
  });

  it('with one damaged byte lacks one record, and has the others', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (list, at) => {
        fc.pre(list.length > 0);
        const entries = list.map((bytes, number) => entryOf(number, bytes));
        const bytes = pack(entries);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ 0x40;
        const { records } = scanRecords(bytes, MARK, 0);
        expect(records).toHaveLength(list.length - 1);
      }),
    );
  });
});

it('what a content holds is no record, not even behind damage', () => {
  const forged = pack([entryOf(666, randomBytes(10))]);
  forged.write('deadbeefdeadbeef', 0, 'hex');
  const bytes = pack([entryOf(1, forged), entryOf(2, randomBytes(5))]);
  bytes[0] = 0;
  const { records, strayBytes } = scanRecords(bytes, MARK, 0);
  expect(records.map(({ digest }) => digest)).toEqual([digestOf(2)]);
  expect(strayBytes).toBe(HEADER_BYTES + forged.length);
});

it('any bytes are read without a fault', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const { end } = scanRecords(Buffer.concat([MARK, bytes, MARK]), MARK, 0);
      expect(end).toBe(0);
    }),
  );
});

it('a record of no kind that we write, or of no time, is none, and hides none behind it', () => {
  const strange = pack([{ ...entryOf(1, randomBytes(9)), when: NaN }]);
  const unknown = encodeHeader(MARK, entryOf(2, new Uint8Array()));
  unknown.writeUInt32LE(3, 8);
  unknown.writeUInt32LE(crc32(unknown.subarray(0, 60)), 60);
  const bytes = Buffer.concat([strange, unknown, pack([entryOf(3, randomBytes(5))])]);
  const { records, strayBytes } = scanRecords(bytes, MARK, 0);
  expect(records.map(({ digest }) => digest)).toEqual([digestOf(3)]);
  expect(strayBytes).toBe(strange.length + unknown.length);
});
