/**
 * A record of a pack: a content, or the word that one was removed.
 *
 *   mark 8 | kind 4 | length 4 | digest 32 | when 8 | checksum of the body 4 | checksum of the header 4 | body
 *
 * The mark is a random word of the pack, which is in its name: behind a damaged record the next one is found by it, and what
 * somebody puts into a content can not pass for a record. Numbers are little-endian; `when` is wall time in milliseconds, of the put.
 */
import { crc32 } from 'node:zlib';
import type { Digest } from '../../../shared/model/vnode.ts';

export const HEADER_BYTES = 64;
export const MARK_BYTES = 8;

const AT = { kind: 8, length: 12, digest: 16, when: 48, body: 56, header: 60 } as const;
const DIGEST_BYTES = 32;
const KINDS = { content: 1, removal: 2 } as const;

const KIND_OF: ReadonlyMap<number, RecordKind> = new Map([
  [KINDS.content, 'content'],
  [KINDS.removal, 'removal'],
]);

export type RecordKind = keyof typeof KINDS;

/** What is to be appended. A removal has no bytes. */
export interface Entry {
  readonly kind: RecordKind;
  readonly digest: Digest;
  readonly when: number;
  readonly bytes: Uint8Array;
}

/** A record as it was found. */
export interface Found {
  readonly kind: RecordKind;
  readonly digest: Digest;
  readonly when: number;
  /** Where its body begins, and how long that is. */
  readonly offset: number;
  readonly length: number;
}

export const NO_BYTES = new Uint8Array(0);

export function encodeHeader(mark: Uint8Array, entry: Entry): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.set(mark, 0);
  header.writeUInt32LE(KINDS[entry.kind], AT.kind);
  header.writeUInt32LE(entry.bytes.length, AT.length);
  header.write(entry.digest, AT.digest, DIGEST_BYTES, 'hex');
  header.writeDoubleLE(entry.when, AT.when);
  header.writeUInt32LE(crc32(entry.bytes), AT.body);
  header.writeUInt32LE(crc32(header.subarray(0, AT.header)), AT.header);
  return header;
}

/** Records one after the other, and how far the last of them reaches. What lies between them is no record, or a damaged one. */
export interface Scan {
  readonly records: readonly Found[];
  readonly end: number;
  /** Bytes before `end` that belong to no whole record. */
  readonly strayBytes: number;
}

/** `bytes`: of a pack, from `from` on. */
export function scanRecords(bytes: Buffer, mark: Uint8Array, from: number): Scan {
  const records: Found[] = [];
  let at = 0;
  let end = 0;
  let recordBytes = 0;
  while (at >= 0 && at + HEADER_BYTES <= bytes.length) {
    const size = sizeAt(bytes, mark, at);
    if (size === null) {
      at = bytes.indexOf(mark, at + 1);
      continue;
    }
    const record = recordAt(bytes, at, size, from);
    if (record !== null) {
      records.push(record);
      recordBytes += size;
      end = at + size;
    }
    at += size;
  }
  return { records, end: from + end, strayBytes: end - recordBytes };
}

/** The size of the record whose header is there; null: none is. */
function sizeAt(bytes: Buffer, mark: Uint8Array, at: number): number | null {
  const header = bytes.subarray(at, at + HEADER_BYTES);
  if (!header.subarray(0, MARK_BYTES).equals(mark)) return null;
  if (crc32(header.subarray(0, AT.header)) !== header.readUInt32LE(AT.header)) return null;
  return HEADER_BYTES + header.readUInt32LE(AT.length);
}

/** Null: its body is not whole, or it is none that we write. */
function recordAt(bytes: Buffer, at: number, size: number, from: number): Found | null {
  const body = bytes.subarray(at + HEADER_BYTES, at + size);
  const length = size - HEADER_BYTES;
  if (body.length < length || crc32(body) !== bytes.readUInt32LE(at + AT.body)) return null;
  const kind = KIND_OF.get(bytes.readUInt32LE(at + AT.kind));
  const digest = bytes.toString('hex', at + AT.digest, at + AT.digest + DIGEST_BYTES) as Digest;
  const when = bytes.readDoubleLE(at + AT.when);
  if (kind === undefined || !Number.isFinite(when)) return null;
  return { kind, digest, when, offset: from + at + HEADER_BYTES, length };
}
