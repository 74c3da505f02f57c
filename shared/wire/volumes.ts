/** What messages say of volumes: which a device sees, and their quotas. */
import { z } from 'zod';
import * as f from './fields.ts';
import * as limits from './limits.ts';

/** From which version of the protocol on `beside` is understood. */
export const NAMES_REMOVED_FROM = 5;

export const volumeInfo = z.strictObject({
  id: f.volumeId,
  name: f.label,
  root: f.fid,
  rights: f.rights,
  head: f.commit,
});

/** Beside the volumes that a device sees. */
export const beside = {
  /** Those it would see if they were not removed: they may come back. */
  removed: z
    .array(z.strictObject({ id: f.volumeId, name: f.label }))
    .max(limits.MAX_VOLUMES)
    .optional(),
  /** The one that a folder shows if nobody says which. */
  usual: f.volumeId.optional(),
};

/** The quota of each volume that has one; a volume that is not listed has none. */
const room = z.strictObject({
  volume: f.volumeId,
  limit: f.bytes,
  used: f.bytes,
  free: f.bytes,
});
/** From which version of the protocol on an answer about a volume says that its quota is another one. */
export const QUOTA_TOLD_FROM = 8;

/** The quota of the volume is another one than this connection was told last; null: it has none any more. */
export const changedQuota = room.nullable().optional();

/** The newest commits of volumes. */
export const heads = z
  .array(z.strictObject({ volume: f.volumeId, head: f.commit }))
  .max(limits.MAX_VOLUMES);
export const rooms = z.array(room).max(limits.MAX_VOLUMES).optional();
