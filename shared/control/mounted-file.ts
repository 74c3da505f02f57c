/** What DATA/mounted.json says: which volumes are kept in a folder besides its own, and what was put aside of those that left. */
import { z } from 'zod';
import type { Fid } from '../model/fid.ts';
import { fid } from './arguments.ts';

export interface KeptMount {
  /** The mount point. */
  readonly at: Fid;
  /** What the directory there is known by; null: it was never open. */
  readonly token: string | null;
  /** It is being taken off the disk, from this directory below the root of the folder; null: it is not. */
  readonly leaving: string | null;
}

/** What was not sent when a volume left the disk, for its person. */
export interface PutAside {
  readonly volume: string;
  /** Below the root of the folder, which may be moved. */
  readonly directory: string;
}

export interface MountedFile {
  /** By the numbers of volumes. */
  mounts: Record<string, KeptMount>;
  aside: PutAside[];
}

const schema: z.ZodType<MountedFile> = z.object({
  mounts: z.record(
    z.string().regex(/^[1-9]\d*$/),
    z.object({ at: fid, token: z.string().nullable(), leaving: z.string().nullable() }),
  ),
  aside: z.array(z.object({ volume: z.string(), directory: z.string() })),
});

/** Reads the text of the file. Throws where it is damaged. */
export function readMountedFile(text: string): MountedFile {
  return schema.parse(JSON.parse(text));
}
