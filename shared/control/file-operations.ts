/** The operations of the file-system port as the control protocol has them: arguments as objects. */
import { z } from 'zod';
import {
  isDigest,
  isMtime,
  mtimeInRange,
  type DataVersion,
  type Digest,
  type Mtime,
  type Xattr,
} from '../model/vnode.ts';
import type { VolumeId } from '../model/fid.ts';
import { fid, MAX_ONWARDS, name } from './arguments.ts';

const mtime = z.custom<Mtime>(isMtime, 'not a time in nanoseconds').transform(mtimeInRange);
const digest = z.custom<Digest>(isDigest, 'not a digest');
const version = z.number().int().min(0) as unknown as z.ZodType<DataVersion>;
const volume = z.number().int().min(1).max(0xffff_ffff) as unknown as z.ZodType<VolumeId>;
const handle = z.number().int().min(1);
const xattrs = z.array(
  z.strictObject({ name: z.string().min(1).max(255), value: z.base64().max(6000) }),
) as z.ZodType<Xattr[]>;
const place = z.strictObject({ dir: fid, name });
const make = z.strictObject({
  mode: z.number().int().min(0).max(0o7777),
  mtime: mtime.optional(),
  xattrs: xattrs.optional(),
  at: mtime.optional(),
});

export const FS_OPERATIONS = {
  volumes: z.strictObject({}),
  lookup: z.strictObject({
    dir: fid,
    name,
    onwards: z.array(name).max(MAX_ONWARDS).optional(),
  }),
  getattr: z.strictObject({ fid }),
  readdir: z.strictObject({ dir: fid }),
  create: z.strictObject({ dir: fid, name, options: make }),
  createOpen: z.strictObject({ dir: fid, name, options: make }),
  mkdir: z.strictObject({ dir: fid, name, options: make.extend({ mounts: volume.optional() }) }),
  symlink: z.strictObject({
    dir: fid,
    name,
    target: z.string().min(1).max(4096),
    options: z.strictObject({ mtime: mtime.optional(), at: mtime.optional() }),
  }),
  link: z.strictObject({ fid, place }),
  remove: z.strictObject({
    place,
    options: z.strictObject({ only: z.strictObject({ fid, version }).optional() }).optional(),
  }),
  rmdir: z.strictObject({
    place,
    options: z.strictObject({ unmounts: z.boolean().optional() }).optional(),
  }),
  rename: z.strictObject({
    from: place,
    to: place,
    options: z
      .strictObject({
        noReplace: z.boolean().optional(),
        only: z.strictObject({ fid, version }).optional(),
      })
      .optional(),
  }),
  setattr: z.strictObject({
    fid,
    change: z.strictObject({
      mode: z.number().int().min(0).max(0o7777).optional(),
      mtime: mtime.optional(),
      xattrs: xattrs.optional(),
    }),
  }),
  open: z.strictObject({
    fid,
    how: z.union([
      z.strictObject({ mode: z.literal('read') }),
      z.strictObject({
        mode: z.literal('write'),
        truncate: z.boolean(),
        base: version.optional(),
        from: z.strictObject({ fid, version, digest }).optional(),
      }),
    ]),
  }),
  close: z.strictObject({
    handle,
    changed: z
      .strictObject({
        mtime: mtime.optional(),
        digest: digest.optional(),
        size: z.number().int().min(0).optional(),
      })
      .nullable(),
  }),
  abandon: z.strictObject({ handle }),
} as const;

export type FsOperationName = keyof typeof FS_OPERATIONS;
export type FsArguments<N extends FsOperationName> = z.output<(typeof FS_OPERATIONS)[N]>;

export function isOperation(name: string): name is FsOperationName {
  return Object.hasOwn(FS_OPERATIONS, name);
}
