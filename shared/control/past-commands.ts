/** The commands about the past of a volume: versions, snapshots, and what brings something back. */
import { z } from 'zod';
import { MAX_SNAPSHOT_NAME } from '../model/snapshots.ts';
import { path, volume } from './arguments.ts';
import { answer } from './command.ts';
import type {
  ActsReport,
  PastListing,
  RemovedReport,
  RestoreReport,
  SnapshotsReport,
  VersionsReport,
} from './history.ts';
import { MOST_ACTS } from './limits.ts';

/** A name of one. */
const snapshot = z.string().min(1).max(MAX_SNAPSHOT_NAME);
const commit = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const removedBy = z.strictObject({ device: commit, from: commit, to: commit });

export const PAST_COMMANDS = {
  versions: {
    says: 'The versions of a file. Paths are names from the root. `at` (milliseconds since 1970) or `snapshot`: the one of then.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      volume,
      path,
      at: z.number().optional(),
      snapshot: snapshot.optional(),
    }),
    answer: answer<VersionsReport>(),
    isLong: true,
  },
  'list-past': {
    says: 'A folder as it was at a time (milliseconds since 1970), or in a snapshot.',
    callers: ['cli'],
    args: z.strictObject({
      volume,
      path,
      at: z.number().nullable(),
      snapshot: snapshot.optional(),
    }),
    answer: answer<PastListing>(),
    isLong: true,
  },
  snapshots: {
    says: 'The snapshots of a volume, the oldest first.',
    callers: ['cli'],
    args: z.strictObject({ volume }),
    answer: answer<SnapshotsReport>(),
    isLong: true,
  },
  removed: {
    says: 'What was removed from a folder.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume, path }),
    answer: answer<RemovedReport>(),
    isLong: true,
  },
  restore: {
    says: 'Brings back what `path` was: a version of it, or as it was at a time (milliseconds since 1970) or in a snapshot. `removed`: what a device removed in it with those commits.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      volume,
      path,
      version: z.number().int().min(1).nullable(),
      at: z.number().nullable(),
      to: path.nullable(),
      removed: removedBy.optional(),
      snapshot: snapshot.optional(),
    }),
    answer: answer<RestoreReport>(),
    isLong: true,
  },
  acts: {
    says: 'The last things that this device did and that can be taken back, the newest first.',
    callers: ['cli'],
    args: z.strictObject({ volume, most: z.number().int().min(1).max(MOST_ACTS) }),
    answer: answer<ActsReport>(),
    isLong: true,
  },
  undo: {
    says: 'Takes back what this device did: so many things, all since a time (milliseconds since 1970), or one act.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      volume,
      extent: z.union([
        z.strictObject({ last: z.number().int().min(1).max(100_000) }),
        z.strictObject({ since: z.number() }),
        z.strictObject({ act: z.number().int().min(1) }),
      ]),
      dryRun: z.boolean(),
    }),
    answer: answer<RestoreReport>(),
    isLong: true,
  },
} as const;
