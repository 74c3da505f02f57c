/** Schemas of updates and of their results. */
import { z } from 'zod';
import type { ChangeSet } from '../model/change.ts';
import type {
  CopyMark,
  MetadataUpdate,
  Refusal,
  StoreUpdate,
  Touched,
  UpdateResult,
} from '../model/update.ts';
import * as f from './fields.ts';
import { MAX_DEPENDENCIES } from './limits.ts';

/** From which version on marks of conflict copies are understood, in updates and in changes (rule C4). */
export const COPIES_FROM = 7;

/** From which version on a server knows mount points (rule M6). */
export const MOUNTS_FROM = 9;

/** For a peer of an older version, which takes a field that it does not know for damage. */
export function withoutMark<T extends { readonly copyOf?: CopyMark }>({
  copyOf: _copyOf,
  ...known
}: T): T {
  return known as T;
}

const copyOf = f.name.nullable().exactOptional();
const placed = { fid: f.fid, dir: f.fid, name: f.name, at: f.mtime };
const named = { ...placed, copyOf };

export const metadataUpdate: z.ZodType<MetadataUpdate> = z.discriminatedUnion('op', [
  z.strictObject({
    op: z.literal('create'),
    ...named,
    mode: f.mode,
    mtime: f.mtime,
    xattrs: f.xattrs,
  }),
  z.strictObject({
    op: z.literal('mkdir'),
    ...named,
    mode: f.mode,
    mtime: f.mtime,
    xattrs: f.xattrs,
    mounts: f.volumeId.exactOptional(),
  }),
  z.strictObject({ op: z.literal('symlink'), ...named, target: f.target, mtime: f.mtime }),
  z.strictObject({ op: z.literal('link'), ...named }),
  z.strictObject({ op: z.literal('remove'), ...placed, base: f.version }),
  z.strictObject({
    op: z.literal('rmdir'),
    ...placed,
    unmounts: z.literal(true).exactOptional(),
  }),
  z.strictObject({
    op: z.literal('rename'),
    fid: f.fid,
    fromDir: f.fid,
    fromName: f.name,
    toDir: f.fid,
    toName: f.name,
    over: z.strictObject({ fid: f.fid, base: f.version }).nullable(),
    at: f.mtime,
    copyOf,
  }),
  z.strictObject({
    op: z.literal('setattr'),
    fid: f.fid,
    mode: f.mode.nullable(),
    mtime: f.mtime.nullable(),
    xattrs: f.xattrs.nullable(),
  }),
]);

export const storeUpdate: z.ZodType<StoreUpdate> = z.strictObject({
  op: z.literal('store'),
  fid: f.fid,
  base: f.version,
  size: f.size,
  digest: f.digest,
  mtime: f.mtime,
});

export const dependencies = z.array(f.seq).max(MAX_DEPENDENCIES);
/** In their order; left out: each has the name of what depends on it. Null: it has none. */
export const dependencyNames = z.array(f.updateName.nullable()).max(MAX_DEPENDENCIES);

const touched: z.ZodType<Touched> = z.strictObject({
  fid: f.fid,
  before: f.version,
  after: f.version,
});

const REFUSALS = [
  'name-taken',
  'no-such-vnode',
  'no-such-entry',
  'stale-base',
  'not-empty',
  'wrong-kind',
  'cycle',
  'too-deep',
  'fid-in-use',
  'no-right',
  'dependency-failed',
] as const satisfies readonly Refusal[];

export const updateResult: z.ZodType<UpdateResult> = z.union([
  z.strictObject({
    seq: f.seq,
    ok: z.literal(true),
    commit: f.commit,
    touched: z.array(touched).max(8),
  }),
  z.strictObject({
    seq: f.seq,
    ok: z.literal(false),
    refusal: z.enum(REFUSALS),
    existing: f.status.nullable(),
  }),
]);

export const changeSet: z.ZodType<ChangeSet> = z.strictObject({
  commit: f.commit,
  device: f.deviceId,
  seq: f.lowWater,
  vnodes: z.array(f.status).max(8),
  entries: z.array(f.entryChange).max(8),
  copyOf,
});
