/**
 * The RPCs about the past of a volume, for devices that may read it. Old contents are named by fid and version only, never by digest (rule D2). A
 * server that is older than they are answers `bad-message`, and nothing else is lost.
 */
import { z } from 'zod';
import type { Moment, NameChange, OwnCommit, PastName, PastVersion } from '../model/history.ts';
import { MAX_SNAPSHOT_NAME, MAX_SNAPSHOTS, type NamedSnapshot } from '../model/snapshots.ts';
import type { WallTime } from '../model/time.ts';
import * as f from './fields.ts';
import * as limits from './limits.ts';

const when = f.wall as unknown as z.ZodType<WallTime>;

const moment: z.ZodType<Moment> = z.strictObject({
  commit: f.commit,
  when,
  device: f.deviceId,
  deviceName: f.label.nullable(),
});

const pastVersion: z.ZodType<PastVersion> = z.strictObject({
  status: f.status,
  since: moment,
  kept: f.flag,
});

const pastName: z.ZodType<PastName> = z.strictObject({
  name: f.name,
  fid: f.fid,
  since: moment,
  until: moment.nullable(),
  status: f.status,
  ended: f.flag,
});

const nameChange: z.ZodType<NameChange> = z.strictObject({
  dir: f.fid,
  name: f.name,
  was: f.fid.nullable(),
  now: f.fid.nullable(),
});

const ownCommit: z.ZodType<OwnCommit> = z.strictObject({
  commit: f.commit,
  when,
  names: z.array(nameChange).max(8),
  vnodes: z.array(z.strictObject({ before: f.status.nullable(), after: f.status })).max(8),
});

const namedSnapshot: z.ZodType<NamedSnapshot> = z.strictObject({
  name: z.string().min(1).max(MAX_SNAPSHOT_NAME),
  at: f.commit,
  epoch: f.token,
  made: when,
});

const fetchClass = { from: 'client', priorityClass: 'FETCH', content: 'none' } as const;
const limit = f.pageLimit(limits.MAX_PAGE_COMMITS);

export const HISTORY_RPCS = {
  /** The data versions of a file, newest first, of a file that has ended too. `before`: the last one of the page before. */
  PastVersions: {
    ordinal: 32,
    ...fetchClass,
    request: z.strictObject({ fid: f.fid, before: f.version.nullable(), limit }),
    reply: z.strictObject({
      versions: z.array(pastVersion).max(limits.MAX_PAGE_COMMITS),
      more: f.flag,
    }),
  },
  /** What the names of a directory stood for, or one of them, also of a directory that has ended. `after`: as above. */
  PastNames: {
    ordinal: 33,
    ...fetchClass,
    request: z.strictObject({
      dir: f.fid,
      name: f.name.nullable(),
      after: z.strictObject({ name: f.name, commit: f.commit }).nullable(),
      limit,
    }),
    reply: z.strictObject({
      names: z.array(pastName).max(limits.MAX_PAGE_COMMITS),
      more: f.flag,
    }),
  },
  /** The commits of the device that asks, newest first, each with what was there before. */
  OwnCommits: {
    ordinal: 34,
    ...fetchClass,
    request: z.strictObject({ volume: f.volumeId, before: f.commit.nullable(), limit }),
    reply: z.strictObject({
      commits: z.array(ownCommit).max(limits.MAX_PAGE_COMMITS),
      more: f.flag,
    }),
  },
  /** A directory as a commit has it, in the order of names; contents of it are had by version. No promise comes with it: it never changes. */
  PastDir: {
    ordinal: 36,
    ...fetchClass,
    request: z.strictObject({
      fid: f.fid,
      at: f.commit,
      after: f.name.nullable(),
      limit: f.pageLimit(limits.MAX_PAGE_ENTRIES),
    }),
    reply: z.strictObject({
      entries: z
        .array(z.strictObject({ name: f.name, status: f.status }))
        .max(limits.MAX_PAGE_ENTRIES),
      more: f.flag,
    }),
  },
  /** The snapshots of a volume, the oldest first. */
  NamedSnapshots: {
    ordinal: 35,
    ...fetchClass,
    request: z.strictObject({ volume: f.volumeId }),
    reply: z.strictObject({ snapshots: z.array(namedSnapshot).max(MAX_SNAPSHOTS) }),
  },
} as const;
