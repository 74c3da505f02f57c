/**
 * A pack of short contents: a header, a table of their names and lengths, and their bytes, one after the other in the table's order.
 *
 *   mark 8 | bytes of the table 4 | bytes of the contents 4 | checksum of the table 4 | the table | the contents
 *
 * Numbers are little-endian; the table is JSON, `[["c12",4096],...]`. The digest of a content, in its database row, tells whether its bytes are intact.
 */
import { crc32 } from 'node:zlib';
import { z } from 'zod';

const MARK = Buffer.from('gwcpack1', 'latin1');
const AT = { table: 8, contents: 12, checksum: 16 } as const;
export const HEADER_BYTES = 20;
/** No pack of ours has a longer one: it has some hundred names. */
const MAX_TABLE_BYTES = 1024 * 1024;

const rowSchema = z.tuple([z.string().min(1), z.number().int().min(0)]);
const tableSchema = z.array(rowSchema);
type Row = readonly [name: string, length: number];

export interface Packed {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

export interface PackHeader {
  readonly tableBytes: number;
  readonly contentBytes: number;
  readonly checksum: number;
}

export interface EncodedPack {
  readonly bytes: Buffer;
  /** In the order in which they were given. */
  readonly packed: readonly Packed[];
}

/**
 * The header and table of a pack for these contents, and where each will lie, in bytes from its
 * start.
 */
export function encodePack(
  contents: ReadonlyArray<{ readonly name: string; readonly bytes: Uint8Array }>,
): EncodedPack {
  const rows = contents.map(({ name, bytes }): Row => [name, bytes.length]);
  const table = Buffer.from(JSON.stringify(rows));
  const packed = placesOf(rows, table.length);
  const header = Buffer.alloc(HEADER_BYTES);
  header.set(MARK);
  header.writeUInt32LE(table.length, AT.table);
  header.writeUInt32LE(lengthOf(rows), AT.contents);
  header.writeUInt32LE(crc32(table), AT.checksum);
  return { bytes: Buffer.concat([header, table, ...contents.map(({ bytes }) => bytes)]), packed };
}

/** null: it is none. */
export function decodeHeader(header: Buffer): PackHeader | null {
  if (header.length < HEADER_BYTES || !header.subarray(0, MARK.length).equals(MARK)) return null;
  const tableBytes = header.readUInt32LE(AT.table);
  if (tableBytes > MAX_TABLE_BYTES) return null;
  const contentBytes = header.readUInt32LE(AT.contents);
  return { tableBytes, contentBytes, checksum: header.readUInt32LE(AT.checksum) };
}

/** null: the table is damaged, or not that of so many bytes. */
export function decodeTable(table: Buffer, header: PackHeader): Packed[] | null {
  if (table.length !== header.tableBytes || crc32(table) !== header.checksum) return null;
  const rows = tableSchema.safeParse(jsonOf(table));
  if (!rows.success) return null;
  return lengthOf(rows.data) === header.contentBytes
    ? placesOf(rows.data, header.tableBytes)
    : null;
}

const lengthOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, [, length]) => sum + length, 0);

function placesOf(rows: readonly Row[], tableBytes: number): Packed[] {
  let end = HEADER_BYTES + tableBytes;
  return rows.map(([name, length]) => {
    const offset = end;
    end += length;
    return { name, offset, length };
  });
}

function jsonOf(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return null;
  }
}
