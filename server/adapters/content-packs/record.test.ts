import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Digest } from '../../../shared/model/vnode.ts';
import { readRecords, WINDOW_BYTES, type Piece } from './read-records.ts';
import { contentIn, encodeHeader, HEADER_BYTES, type Entry, type Found } from './record.ts';

const MARK = Buffer.from('0123456789abcdef', 'hex');
const digestOf = (number: number): Digest => number.toString(16).padStart(64, '0') as Digest;

function entryOf(number: number, bytes: Uint8Array): Entry {
  const kind = bytes.length === 0 ? 'removal' : 'content';
  return { kind, digest: digestOf(number), when: 1_700_000_000_000 + number, bytes };
}

const pack = (entries: readonly Entry[]): Buffer =>
  Buffer.concat(entries.flatMap((entry) => [encodeHeader(MARK, entry), entry.bytes]));

interface Scan {
  readonly records: Found[];
  /** Of the last record. */
  readonly end: number;
  /** Bytes before it that belong to none. */
  readonly strayBytes: number;
  readonly pieces: Piece[];
}

/** Reads a pack whose first `from` bytes are others. */
async function scan(bytes: Buffer, from = 0): Promise<Scan> {
  const pieces: Piece[] = [];
  const readInto = (buffer: Buffer, at: number): Promise<number> =>
    Promise.resolve(bytes.copy(buffer, 0, at - from));
  for await (const piece of readRecords({ readInto }, MARK, from, from + bytes.length)) {
    pieces.push(piece);
  }
  const records = pieces.flatMap((piece) => (piece.kind === 'record' ? [piece.record] : []));
  const last = records.at(-1);
  const end = last === undefined ? from : last.offset + last.length;
  const good = records.reduce((sum, { length }) => sum + HEADER_BYTES + length, 0);
  return { records, end, strayBytes: end - from - good, pieces };
}

const bodies = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 });

describe('a pack', () => {
  it('yields the written records and the places of their bodies', () => {
    return fc.assert(
      fc.asyncProperty(bodies, fc.nat(1000), async (list, from) => {
        const entries = list.map((bytes, number) => entryOf(number, bytes));
        const bytes = pack(entries);
        const { records, ...rest } = await scan(bytes, from);
        expect(rest).toMatchObject({ end: from + bytes.length, strayBytes: 0 });
        const found = records.map(({ kind, digest, when, offset, length }) => {
          const body = bytes.subarray(offset - from, offset - from + length);
          return { kind, digest, when, bytes: new Uint8Array(body) };
        });
        expect(found).toEqual(entries);
      }),
    );
  });

  it('yields the records before the cut when it was cut anywhere', () => {
    return fc.assert(
      fc.asyncProperty(bodies, fc.nat(), async (list, cut) => {
        const entries = list.map((bytes, number) => entryOf(number, bytes));
        const bytes = pack(entries);
        const kept = bytes.subarray(0, cut % (bytes.length + 1));
        const { records, end } = await scan(kept);
        expect(end).toBeLessThanOrEqual(kept.length);
        expect(kept.length - end).toBeLessThan(HEADER_BYTES + 200);
        expect(records.map(({ digest }) => digest)).toEqual(
          entries.slice(0, records.length).map(({ digest }) => digest),
        );
      }),
    );
  });

  it('lacks one record and has the others when one byte is damaged', () => {
    return fc.assert(
      fc.asyncProperty(bodies, fc.nat(), async (list, at) => {
        fc.pre(list.length > 0);
        const entries = list.map((bytes, number) => entryOf(number, bytes));
        const bytes = pack(entries);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ 0x40;
        const { records } = await scan(bytes);
        expect(records).toHaveLength(list.length - 1);
      }),
    );
  });
});

it('contents that look like a record are not read as one, not even after damage', async () => {
  const forged = pack([entryOf(666, randomBytes(10))]);
  forged.write('deadbeefdeadbeef', 0, 'hex');
  const bytes = pack([entryOf(1, forged), entryOf(2, randomBytes(5))]);
  bytes[0] = 0;
  const { records, strayBytes } = await scan(bytes);
  expect(records.map(({ digest }) => digest)).toEqual([digestOf(2)]);
  expect(strayBytes).toBe(HEADER_BYTES + forged.length);
});

it('any bytes can be scanned without an exception', () => {
  return fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
      const { end, pieces } = await scan(Buffer.concat([MARK, bytes, MARK]));
      expect(end).toBe(0);
      const sizes = pieces.map((piece) => (piece.kind === 'stray' ? piece.bytes : 0));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes.length + 2 * MARK.length);
    }),
  );
});

it('a record of unknown kind or without a time is skipped and hides no later record', async () => {
  const strange = pack([{ ...entryOf(1, randomBytes(9)), when: NaN }]);
  const unknown = encodeHeader(MARK, entryOf(2, new Uint8Array()));
  unknown.writeUInt32LE(3, 8);
  unknown.writeUInt32LE(crc32(unknown.subarray(0, 60)), 60);
  const bytes = Buffer.concat([strange, unknown, pack([entryOf(3, randomBytes(5))])]);
  const { records, strayBytes } = await scan(bytes);
  expect(records.map(({ digest }) => digest)).toEqual([digestOf(3)]);
  expect(strayBytes).toBe(strange.length + unknown.length);
});

describe('records that are longer than the read window', () => {
  const large = entryOf(1, randomBytes(3 * WINDOW_BYTES + 5));
  const small = entryOf(2, randomBytes(9));

  it('are read in parts no longer than the window', async () => {
    const bytes = pack([small, large, small]);
    const asked: number[] = [];
    const readInto = (buffer: Buffer, at: number): Promise<number> => {
      asked.push(buffer.length);
      return Promise.resolve(bytes.copy(buffer, 0, at));
    };
    const digests = [];
    for await (const piece of readRecords({ readInto }, MARK, 0, bytes.length)) {
      digests.push(piece.kind === 'record' ? piece.record.digest : null);
    }
    expect(digests).toEqual([small.digest, large.digest, small.digest]);
    expect(Math.max(...asked)).toBe(WINDOW_BYTES);
  });

  it('hide no later record when they are damaged, and reveal what they were', async () => {
    const bytes = pack([large, small]);
    bytes[2 * WINDOW_BYTES] = 255 - (bytes[2 * WINDOW_BYTES] ?? 0);
    const { pieces } = await scan(bytes);
    expect(pieces).toMatchObject([
      { kind: 'stray', at: 0, bytes: HEADER_BYTES + large.bytes.length, digest: large.digest },
      { kind: 'record', record: { digest: small.digest } },
    ]);
  });
});

it('a record after a truncated body is found', async () => {
  const [cut, next] = [entryOf(1, randomBytes(500)), entryOf(2, randomBytes(20))];
  const bytes = Buffer.concat([pack([cut]).subarray(0, 200), pack([next])]);
  const { pieces } = await scan(bytes);
  expect(pieces).toMatchObject([
    { kind: 'stray', at: 0, bytes: 200, digest: cut.digest },
    { kind: 'record', record: { digest: next.digest } },
  ]);
});

it('a body counts as contents only whole and with the right digest', () => {
  const [content, removal] = [entryOf(1, randomBytes(30)), entryOf(1, new Uint8Array())];
  const record = pack([content]);
  expect(contentIn(record, MARK, content.digest)).toEqual(record.subarray(HEADER_BYTES));
  expect(contentIn(record, MARK, digestOf(2))).toBeNull();
  expect(contentIn(record.subarray(0, -1), MARK, content.digest)).toBeNull();
  expect(contentIn(pack([removal]), MARK, content.digest)).toBeNull();
});
