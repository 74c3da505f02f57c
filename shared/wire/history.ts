/**
 * The RPCs about the past of a volume, for devices that may read it. Old contents are named by fid and version only, never by digest (rule D2). A
 * server that is older than they are answers `bad-message`, and nothing else is lost.
 */
import { z } from 'zod';
import type { Moment, NameChange, OwnCommit, PastName, PastVersion } from '../model/history.ts';
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
} as const;
