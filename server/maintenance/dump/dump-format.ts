/**
 * The file that a volume is dumped into: a line that says what it is, then records, each with its length, its checksum and JSON; behind the record of a
 * file lie its contents. The last record has a digest of all before it, so that a file which is cut short or altered is known to be so.
 *
 * Vnodes have numbers of the dump, from 0 (the root) on, in the order in which they come. Nothing in it says who may do what, or names a device.
 */
import { z } from 'zod';
import * as fields from '../../../shared/wire/fields.ts';

export const DUMP_MAGIC = 'GODWIT-VOLUME ';
export const DUMP_VERSION = 1;
/** Of a record, before its JSON: length and CRC-32, little-endian. */
export const FRAME_BYTES = 8;
/** A vnode with all the extended attributes that it may have is shorter. */
export const MAX_RECORD_BYTES = 1024 * 1024;
/** What is read or written at a time. */
export const CHUNK_BYTES = 256 * 1024;

const number = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const place = z.strictObject({ dir: number, name: fields.name });

const volumeRecord = z.strictObject({
  is: z.literal('volume'),
  name: z.string().max(4096),
  /** Milliseconds since 1970. */
  when: fields.wall,
});

const vnodeRecord = z.strictObject({
  is: z.literal('vnode'),
  /** Null: it is the root. */
  place: place.nullable(),
  kind: z.enum(['file', 'directory', 'symlink']),
  mode: fields.mode,
  mtime: fields.mtime,
  size: fields.size,
  version: fields.version,
  /** Where it has contents, `size` bytes of them follow. Null: it is no file, or has no contents yet. */
  digest: fields.digest.nullable(),
  target: fields.target.nullable(),
  links: number,
  entries: number,
  xattrs: fields.xattrs,
});

/** One more name of a vnode that came before. */
const nameRecord = z.strictObject({ is: z.literal('name'), place, of: number });

/** `sum`: SHA-256 of all bytes before this record. */
const endRecord = z.strictObject({
  is: z.literal('end'),
  sum: z.string().regex(/^[0-9a-f]{64}$/),
});

export const dumpRecord = z.discriminatedUnion('is', [
  volumeRecord,
  vnodeRecord,
  nameRecord,
  endRecord,
]);

export type DumpRecord = z.infer<typeof dumpRecord>;
export type DumpedVnode = z.infer<typeof vnodeRecord>;
export type DumpedVolume = z.infer<typeof volumeRecord>;
