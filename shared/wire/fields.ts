/**
 * Schemas of the fields that messages are made of. Each bounds what it accepts: no field without a limit.
 * The types are the model's, so a message that passed its schema is one of the model's values.
 */
import { z } from 'zod';
import type { DeviceId, EntryChange, Rights } from '../model/change.ts';
import type { Break, GrantNumber } from '../model/callback-promise.ts';
import { isFid, type Fid, type VolumeId } from '../model/fid.ts';
import { isName, MAX_TARGET_BYTES, utf8Length } from '../model/names.ts';
import { UPDATE_NAME_DIGITS, type UpdateSeq } from '../model/update.ts';
import {
  isDigest,
  isMtime,
  mtimeInRange,
  type CommitNumber,
  type DataVersion,
  type Digest,
  type Mtime,
  type VnodeStatus,
  type Xattr,
} from '../model/vnode.ts';
import { leaf, textLike, wholeNumber } from './leaf.ts';
import * as limits from './limits.ts';

const count = (max: number) => wholeNumber(0, max);
const counter = count(Number.MAX_SAFE_INTEGER);
const hex = (characters: number) => textLike(new RegExp(`^[0-9a-f]{${characters}}$`));

export const fid = leaf<Fid>(isFid);
export const volumeId = count(0xffff_ffff) as unknown as z.ZodType<VolumeId>;
export const deviceId: z.ZodType<DeviceId> = count(0xffff_ffff);
export const commit = counter as unknown as z.ZodType<CommitNumber>;
export const version = counter as unknown as z.ZodType<DataVersion>;
const serial = wholeNumber(1, Number.MAX_SAFE_INTEGER);
export const seq = serial as unknown as z.ZodType<UpdateSeq>;
export const lowWater = counter as unknown as z.ZodType<UpdateSeq>;
/** Of a message that ends promises, on its connection: 1, 2 ... */
export const breakNumber = serial;
/** Of a message of a device that the next one may overtake, likewise. */
export const messageNumber = serial;
export const grant = counter as unknown as z.ZodType<GrantNumber>;
export const digest = leaf<Digest>(isDigest);
/** What is beyond the range is cut: an older program sends it, and what comes with it must not be withheld. */
export const mtime = leaf<Mtime>(isMtime, mtimeInRange);
export const name = leaf<string>(isName);
export const mode = count(0o7777);
export const size = count(limits.MAX_FILE_BYTES);
/** Of many files together. */
export const bytes = counter;
export const howMany = counter;
export const rights = z.enum(['read', 'write']) as z.ZodType<Rights>;
export const token = hex(32);
export const updateName = hex(UPDATE_NAME_DIGITS);
/** What a run of a daemon names its first updates by. */
export const runName = updateName;
export const flag = z.boolean();
/** A newer peer may know more codes than we do. */
export const errorCode = textLike(/^[a-z][a-z0-9-]{0,39}$/);
export const wall = z.number().min(-8.64e15).max(8.64e15);

/** How many items a page may have: a whole number from 1 to `max`. */
export const pageLimit = (max: number) => wholeNumber(1, max);

export const target = z
  .string()
  .refine(
    (text) =>
      text !== '' &&
      !text.includes('\0') &&
      text.isWellFormed() &&
      utf8Length(text) <= MAX_TARGET_BYTES,
  );

/** A name of a device, user or volume: printable, no separators, short. */
export const label = z
  .string()
  .min(1)
  .refine((text) => isLabel(text));

/**
 * Whether a text can name a device, a user or a volume: printable, without separators,
 * MAX_LABEL_BYTES at most.
 */
export function isLabel(text: string): boolean {
  return (
    text.length > 0 &&
    text.isWellFormed() &&
    utf8Length(text) <= limits.MAX_LABEL_BYTES &&
    !/[\p{C}/\\]/u.test(text)
  );
}

export const detail = z.string().max(limits.MAX_DETAIL_BYTES);

/** Bytes have one text only: with other spare bits it would come back from a disk as another value. */
const ONE_WAY = /^(?!.*(?:[^AQgw]==|[^AEIMQUYcgkosw048=]=)$)/;

const xattr: z.ZodType<Xattr> = z.strictObject({
  name: z
    .string()
    .min(1)
    .refine(
      (text) =>
        !text.includes('\0') &&
        text.isWellFormed() &&
        utf8Length(text) <= limits.MAX_XATTR_NAME_BYTES,
    ),
  value: z
    .base64()
    .max(Math.ceil(limits.MAX_XATTR_VALUE_BYTES / 3) * 4)
    .regex(ONE_WAY),
});

export const xattrs = z.array(xattr).max(limits.MAX_XATTRS);

export const status: z.ZodType<VnodeStatus> = z.strictObject({
  fid,
  kind: z.enum(['file', 'directory', 'symlink']),
  mode,
  mtime,
  size,
  version,
  commit,
  digest: digest.nullable(),
  target: target.nullable(),
  links: count(0xffff_ffff),
  xattrs,
});

export const entryChange: z.ZodType<EntryChange> = z.strictObject({
  dir: fid,
  name,
  fid: fid.nullable(),
});

export const breakItem: z.ZodType<Break> = z.strictObject({
  subject: z.union([z.strictObject({ fid }), z.strictObject({ volume: volumeId })]),
  upTo: grant,
});
