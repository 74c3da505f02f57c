/**
 * One side of a conflict as it was when the conflict was found, so that a later check can see whether it is still what the person
 * was shown. A file is what its contents are: it may have been renamed, or have another fid after a safe save of the same bytes.
 */
import { z } from 'zod';
import { isFid, type Fid } from '../../../shared/model/fid.ts';
import { isDigest, type DataVersion, type Digest } from '../../../shared/model/vnode.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';

export const seen = z.strictObject({
  kind: z.enum(['file', 'directory', 'symlink']),
  fid: z.custom<Fid>(isFid),
  version: z.number().int().min(0) as unknown as z.ZodType<DataVersion>,
  digest: z.custom<Digest>(isDigest).nullable(),
  target: z.string().nullable(),
});

export type Seen = Readonly<z.output<typeof seen>>;

export function seenOf({ kind, fid, version, digest, target }: Attributes): Seen {
  return { kind, fid, version, digest, target };
}

/**
 * Whether a side is still what it was when the conflict was found: same target, same directory,
 * same contents.
 */
export function isAsSeen(now: Attributes | null, then: Seen | null): boolean {
  if (now === null || then === null || now.kind !== then.kind) return false;
  switch (now.kind) {
    case 'symlink':
      return now.target === then.target;
    case 'directory':
      return now.fid === then.fid;
    case 'file':
      if (then.digest !== null) return now.digest === then.digest;
      return now.fid === then.fid && now.version === then.version;
  }
}
