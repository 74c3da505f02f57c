import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeHeader, decodeTable, encodePack, HEADER_BYTES, type Packed } from './pack-format.ts';

const contents = fc.uniqueArray(
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 20 }),
    bytes: fc.uint8Array({ maxLength: 64 }),
  }),
  { selector: ({ name }) => name, maxLength: 20 },
);

function decoded(pack: Buffer): Packed[] | null {
  const header = decodeHeader(pack);
  if (header === null) return null;
  return decodeTable(pack.subarray(HEADER_BYTES, HEADER_BYTES + header.tableBytes), header);
}

it('a pack yields the place of each content', () => {
  fc.assert(
    fc.property(contents, (given) => {
      const { bytes, packed } = encodePack(given);
      expect(decoded(bytes)).toEqual(packed);
      for (const [index, { offset, length }] of packed.entries()) {
        expect([...bytes.subarray(offset, offset + length)]).toEqual([
          ...(given[index]?.bytes ?? []),
        ]);
      }
    }),
  );
});

it('a pack with any changed byte is refused', () => {
  fc.assert(
    fc.property(contents, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, where, change) => {
      const { bytes } = encodePack(given);
      const table = decodeHeader(bytes)?.tableBytes ?? 0;
      bytes[where % (HEADER_BYTES + table)]! ^= change;
      expect(decoded(bytes)).toBeNull();
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (noise) => decoded(Buffer.from(noise)) === null));
});
