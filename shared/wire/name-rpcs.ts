/**
 * The RPCs that ask for statuses and names, and those that end what was promised of them (rules N1 and N3).
 */
import { z } from 'zod';
import * as f from './fields.ts';
import * as limits from './limits.ts';
import { behind, unshared, wished } from './sharing.ts';

/** From which version of the protocol on `Lookup` and `grants` are understood. */
export const NAMES_FROM = 8;

export const NAME_RPCS = {
  /** Are these statuses still the present ones? Each that is (and each new status sent) comes with a promise. */
  Validate: {
    ordinal: 3,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({
      items: z
        .array(z.strictObject({ fid: f.fid, commit: f.commit, wished }))
        .min(1)
        .max(limits.MAX_FIDS),
    }),
    reply: z.strictObject({
      /**
       * In the order of the request, as many as a message holds: of the rest it is asked again. `status` null with `current` false: gone, or
       * never there.
       */
      items: z
        .array(
          z.strictObject({
            fid: f.fid,
            current: f.flag,
            status: f.status.nullable(),
            grant: f.grant.nullable(),
            unshared,
            behind,
          }),
        )
        .max(limits.MAX_FIDS),
    }),
  },
  /** The statuses of vnodes, with promises; as many as a message holds, as for Validate. */
  FetchStatus: {
    ordinal: 4,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({ fids: z.array(f.fid).min(1).max(limits.MAX_FIDS) }),
    reply: z.strictObject({
      items: z
        .array(
          z.strictObject({
            fid: f.fid,
            status: f.status.nullable(),
            grant: f.grant.nullable(),
            unshared,
            behind,
          }),
        )
        .max(limits.MAX_FIDS),
    }),
  },
  /** Ends promises that the client no longer cares for. */
  GiveUpCallbacks: {
    ordinal: 5,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({
      fids: z.array(f.fid).min(1).max(limits.MAX_FIDS),
      /**
       * Of each, the newest grant that the device has had: what was promised since then stays (rule N3). Left out, as older daemons do: all of
       * them end.
       */
      grants: z.array(f.grant).max(limits.MAX_FIDS).optional(),
    }),
    reply: z.strictObject({}),
  },
  /**
   * A directory, page by page, as of one commit: the first page names it (`at` null), the next ones repeat it.
   * Names in code-unit order. The first page's grant covers the directory and, page by page, the
   * statuses it lists; null where it was changed between pages, or is about to be.
   */
  FetchDir: {
    ordinal: 8,
    from: 'client',
    priorityClass: 'FETCH',
    content: 'none',
    request: z.strictObject({
      fid: f.fid,
      at: f.commit.nullable(),
      after: f.name.nullable(),
      limit: f.pageLimit(limits.MAX_PAGE_ENTRIES),
    }),
    reply: z.strictObject({
      status: f.status,
      at: f.commit,
      entries: z
        .array(z.strictObject({ name: f.name, status: f.status }))
        .max(limits.MAX_PAGE_ENTRIES),
      more: f.flag,
      grant: f.grant.nullable(),
      /** The directory itself. */
      unshared,
      /** Of the vnodes that the page is about. */
      behind: z
        .array(f.fid)
        .max(limits.MAX_PAGE_ENTRIES + 1)
        .optional(),
    }),
  },
  /**
   * The way down from a directory: the status of that, and of what each name leads to in turn, all as of one moment. It ends where a name is free,
   * or what it leads to is no directory. A server without this RPC answers `bad-message`.
   */
  Lookup: {
    ordinal: 42,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({
      fid: f.fid,
      names: z.array(f.name).min(1).max(limits.MAX_LOOKUP_NAMES),
    }),
    reply: z.strictObject({
      /** The directory, and what its first names lead to: as many as a message holds. Each with a promise, unless it is about to change. */
      items: z
        .array(
          z.strictObject({
            status: f.status,
            grant: f.grant.nullable(),
            unshared,
            behind,
          }),
        )
        .min(1)
        .max(limits.MAX_LOOKUP_NAMES + 1),
      /** The name that follows on those is free. */
      missing: f.flag,
    }),
  },
} as const;
