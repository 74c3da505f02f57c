/**
 * A record of a pack: a content, or a note that one was removed.
 *
 *   mark 8 | kind 4 | length 4 | digest 32 | when 8 | checksum of the body 4 | checksum of the header 4 | body
 *
 * The mark is a random word of the pack, which is in its name: behind a damaged record the next one is found by it, and what
 * a content holds can not pass for a record. Numbers are little-endian; `when` is wall time in milliseconds, of the put.
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

/**
 * The HEADER_BYTES bytes before the body of a record, with the checksums of both. `mark`: the
 * pack's own.
 */
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

/** What a header says of its record, even if the body is damaged. */
export interface Header {
  /** Null: none that we write, or of no time. */
  readonly kind: RecordKind | null;
  readonly digest: Digest;
  readonly when: number;
  /** Of the body. */
  readonly length: number;
  readonly checksum: number;
}

/** Null: it is no header of that pack, or a damaged one. */
export function decodeHeader(header: Buffer, mark: Uint8Array): Header | null {
  if (header.length < HEADER_BYTES || !header.subarray(0, MARK_BYTES).equals(mark)) return null;
  if (crc32(header.subarray(0, AT.header)) !== header.readUInt32LE(AT.header)) return null;
  const when = header.readDoubleLE(AT.when);
  const kind = KIND_OF.get(header.readUInt32LE(AT.kind)) ?? null;
  return {
    kind: Number.isFinite(when) ? kind : null,
    digest: header.toString('hex', AT.digest, AT.digest + DIGEST_BYTES) as Digest,
    when,
    length: header.readUInt32LE(AT.length),
    checksum: header.readUInt32LE(AT.body),
  };
}

/** The body of a record that is to be a content of that digest, and of nothing else; null: it is not, or not whole. */
export function contentIn(record: Buffer, mark: Uint8Array, digest: Digest): Buffer | null {
  const header = decodeHeader(record.subarray(0, HEADER_BYTES), mark);
  const body = record.subarray(HEADER_BYTES);
  if (header?.kind !== 'content' || header.digest !== digest) return null;
  return header.length === body.length && header.checksum === crc32(body) ? body : null;
}
