/**
 * The RPCs: who begins each, in which class, with what message and what contents.
 *
 * Ordinals are never reused; a change of meaning takes a new ordinal or a new protocol version.
 * `content` says where raw bytes follow a header: with the request, with the reply, or nowhere.
 */
import { z } from 'zod';
import type { PriorityClass } from '../model/priority-class.ts';
import { LEAST_LIMIT, MOST_LIMIT } from '../model/transfer-limits.ts';
import { ACCESS_RPCS } from './access.ts';
import { DEVICE_RPCS, newestDevice } from './device-rpcs.ts';
import * as f from './fields.ts';
import { HISTORY_RPCS } from './history.ts';
import * as limits from './limits.ts';
import { LOCK_RPCS, lockRevision, lockRevisions } from './locks.ts';
import { NAME_RPCS } from './name-rpcs.ts';
import { orders, overtaken, SHARING_RPCS, unshared, verdict, wished } from './sharing.ts';
import { UNDER_WAY_RPCS } from './under-way.ts';
import {
  changeSet,
  dependencies,
  dependencyNames,
  metadataUpdate,
  storeUpdate,
  updateResult,
} from './updates.ts';
import { beside, changedQuota, heads, rooms, volumeInfo } from './volumes.ts';

/**
 * The protocol versions this program speaks, both ends included. 2: names may hold U+FFFD. 3: contents may come with an answer to Changes. 4: the server
 * keeps names of devices. 5: Hello tells of removed volumes, and of the usual one. 6: GetTime says how fast contents are to come.
 * 7: updates and changes say what is a conflict copy; locks. 8: devices of the same person are told of; several names in one question, and promises given
 * up by their numbers. 9: mount points. 10: the base of a delta may be a version of another file.
 */
export const PROTOCOL = { min: 1, max: 10 } as const;

/** From which version on `brings` is understood. */
export const BRINGS_FROM = 3;
/** From which version on `contentsRate` is understood. */
export const LIMITS_FROM = 6;

/** From which version on `from` of a Store is understood. */
export const SOURCES_FROM = 10;

const protocolVersion = z.number().int().min(1).max(0xffff);

export interface RpcDefinition {
  readonly ordinal: number;
  readonly from: 'client' | 'server';
  /** The class it has unless it is raised or sorted (STORE_FAST) by its sender. */
  readonly priorityClass: PriorityClass;
  readonly content: 'none' | 'request' | 'reply';
  readonly request: z.ZodType;
  readonly reply: z.ZodType;
}

/**
 * What follows is a stream that tells the contents, or the rest of one: `digest` and `length` are those of the whole stream, which
 * may have been begun before; the bytes from `offset` on follow.
 */
const stream = { digest: f.digest, length: f.size, offset: f.size };

export const RPCS = {
  /** Opens a session on a connection; the first RPC of each. Redeems an invitation where there is one. */
  Hello: {
    ordinal: 1,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({
      protocol: z.strictObject({ min: protocolVersion, max: protocolVersion }),
      software: f.label,
      deviceName: f.label,
      /** The incarnation this data folder had, and the one it takes now (rule I2): 32 hex digits each. */
      incarnation: z.strictObject({ previous: f.token.nullable(), next: f.token }),
      /** The epoch of the server as last seen (rule I1), or null at the first time. */
      epoch: f.token.nullable(),
      /** The epochs before, the newest first: the server may have been put back to one of them. */
      epochsBefore: z.array(f.token).max(limits.MAX_EPOCHS).optional(),
      /** The newest commits this device knows of in that epoch: a server that lacks one has lost it. */
      heads: heads.optional(),
      /** Every update of this device below this number has been answered, and its answer is no longer needed. */
      lowWater: f.lowWater,
      /** The highest number this data folder has given to an update; a copy that is behind is recognised by it (rule I2). */
      lastSeq: f.lowWater.optional(),
      /**
       * This run of the daemon, and one before that is known to have ended: by this Hello both give up their promises. Another run of
       * the device may be a copy's, which knows nothing of those (rules P1, I2). Left out: all runs are one.
       */
      run: f.runName.optional(),
      endedRun: f.runName.optional(),
      /** Breaks are to be numbered, and answers to name the last one sent before them: the device takes none before that one (P2). */
      ordersAnswers: f.flag.optional(),
      /** The device announces updates that it can not send yet (rule S2); a server that supports that confirms it in its reply. */
      announces: f.flag.optional(),
      /** It may be asked to expedite an update that another device waits for. */
      takesPulls: f.flag.optional(),
      /** It treats files as unshared, reports hidden updates of them when asked (rule S1), and accepts notices of sharing. */
      takesUnshared: f.flag.optional(),
      /** It accepts the sharing orders of users, and obeys them (rule S1). */
      takesOrders: f.flag.optional(),
      invitation: z.strictObject({ id: f.token, secret: f.token }).nullable(),
    }),
    reply: z.strictObject({
      protocol: protocolVersion,
      software: f.label,
      epoch: f.token,
      /** Another one after each restart of the server; its promises are gone with the old one. */
      boot: f.token,
      device: f.deviceId,
      /** What it is called, if not as it says (NAMES_KEPT_FROM). */
      deviceName: f.label.optional(),
      newestDevice,
      user: f.label,
      leaseMs: z.number().int().min(1000).max(600_000),
      volumes: z.array(volumeInfo).max(limits.MAX_VOLUMES),
      ...beside,
      /**
       * The epochs that have ended, the newest first (rule I1): of each volume the last commit that was kept, and the first
       * one of the next epoch.
       */
      ended: z
        .array(
          z.strictObject({
            epoch: f.token,
            volumes: z
              .array(z.strictObject({ volume: f.volumeId, last: f.commit, first: f.commit }))
              .max(limits.MAX_VOLUMES),
          }),
        )
        .max(limits.MAX_EPOCHS)
        .optional(),
      /** Of all its volumes. */
      rooms,
      /** ForwardInvalidate is understood: the number of vnodes for which this device has announced a hidden update. */
      marks: f.howMany.optional(),
      orders,
      /** To a device that takes files for its own: `overtaken` and `unless` are understood. */
      sharing: f.flag.optional(),
    }),
  },
  /** Keeps the lease alive and tells how far each volume is. */
  GetTime: {
    ordinal: 2,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({
      /** As in Apply: an idle client tells it here, so that nothing waits for updates it has taken back. */
      lowWater: f.lowWater.optional(),
      /** Contents come no faster than this on this connection, bytes a second; null: as fast as it goes, as at its begin. */
      contentsRate: z.number().int().min(LEAST_LIMIT).max(MOST_LIMIT).nullable().optional(),
    }),
    reply: z.strictObject({
      wall: f.wall,
      heads,
      /** Of all its volumes, here and below. */
      rooms,
      orders,
      locks: lockRevisions,
      newestDevice,
    }),
  },
  /** New vnode numbers for files made offline (rule I3). */
  AllocateVnodes: {
    ordinal: 6,
    from: 'client',
    priorityClass: 'VALIDATE',
    content: 'none',
    request: z.strictObject({ volume: f.volumeId, blocks: f.pageLimit(limits.MAX_BLOCKS) }),
    reply: z.strictObject({
      blocks: z
        .array(
          z.strictObject({
            first: z.number().int().min(2).max(0xffff_ffff),
            count: z.number().int().min(1).max(limits.VNODE_BLOCK),
            uniquifier: z.number().int().min(1).max(0xffff_ffff),
          }),
        )
        .max(limits.MAX_BLOCKS),
    }),
  },
  /**
   * A file. `version` null: the present one, with a promise where one can be given. A number: exactly that
   * version, without a promise. `behind`: a newer version is known to exist on its way here (rule S4).
   */
  Fetch: {
    ordinal: 7,
    from: 'client',
    priorityClass: 'FETCH',
    content: 'reply',
    request: z.strictObject({
      fid: f.fid,
      version: f.version.nullable(),
      /** Its contents are here: where this is still the present version, none follow. */
      unless: f.version.optional(),
      wished,
      /** A version that the device has: the contents may come as a delta against it. */
      base: f.version.optional(),
      /** Streams begun before, and how much of each is here. */
      begun: z
        .array(z.strictObject({ digest: f.digest, length: f.size }))
        .max(limits.MAX_BEGUN)
        .optional(),
    }),
    reply: z.strictObject({
      status: f.status,
      behind: f.flag,
      grant: f.grant.nullable(),
      unshared,
      shared: verdict,
      /** Left out: the contents themselves follow, whole. `base` null: the stream is the contents; else a delta against that version. */
      stream: z.strictObject({ ...stream, base: f.version.nullable() }).optional(),
    }),
  },
  /**
   * The change feed of a volume (rule P4): commits after `since`, in order. With `wait` and nothing new, the answer is
   * held until there is something, or for a while. `promise` asks for a promise for the whole volume; it is granted
   * only in a reply that reaches the head while nothing in the volume is dirty.
   */
  Changes: {
    ordinal: 9,
    from: 'client',
    priorityClass: 'FETCH',
    content: 'reply',
    request: z.strictObject({
      volume: f.volumeId,
      since: f.commit,
      limit: f.pageLimit(limits.MAX_PAGE_COMMITS),
      wait: f.flag,
      promise: f.flag,
      /** Contents of one file may come along, if they have no more bytes. */
      brings: f.size.optional(),
    }),
    reply: z.strictObject({
      commits: z.array(changeSet).max(limits.MAX_PAGE_COMMITS),
      /** The reply covers everything up to this commit; >= the last of `commits`. */
      upTo: f.commit,
      head: f.commit,
      grant: f.grant.nullable(),
      /** The whole volume. */
      unshared,
      /** The contents follow of this file, whole, as the last of `commits` that names it has them. */
      brought: f.fid.optional(),
      locks: lockRevision,
      newestDevice,
      quota: changedQuota,
    }),
  },
  /** The whole state of a volume at one commit, page by page; where a device begins, before it follows the feed. */
  Snapshot: {
    ordinal: 10,
    from: 'client',
    priorityClass: 'FETCH',
    content: 'none',
    request: z.strictObject({
      volume: f.volumeId,
      /** null: the present one (first page). */
      at: f.commit.nullable(),
      /** The last fid of the page before, in order of vnode numbers; null: the first page. */
      after: f.fid.nullable(),
      limit: f.pageLimit(limits.MAX_PAGE_COMMITS),
    }),
    reply: z.strictObject({
      at: f.commit,
      /** Each vnode with the names it has: where, and how it is called. The root has none. */
      vnodes: z
        .array(
          z.strictObject({
            status: f.status,
            names: z
              .array(z.strictObject({ dir: f.fid, name: f.name }))
              .max(limits.MAX_PAGE_ENTRIES),
          }),
        )
        .max(limits.MAX_PAGE_COMMITS),
      more: f.flag,
    }),
  },
  /**
   * Metadata updates in a batch, in the order of their sequence numbers. One result each, in that order. A number that is known under
   * another name, or below the low water, is that of a copied data folder: `incarnation-reused` (rules I2, W4).
   */
  Apply: {
    ordinal: 11,
    from: 'client',
    priorityClass: 'STORE_ATTR',
    content: 'none',
    request: z.strictObject({
      volume: f.volumeId,
      lowWater: f.lowWater,
      updates: z
        .array(
          z.strictObject({
            seq: f.seq,
            name: f.updateName.optional(),
            after: dependencies,
            afterNames: dependencyNames.optional(),
            update: metadataUpdate,
          }),
        )
        .min(1)
        .max(limits.MAX_BATCH_UPDATES),
      overtaken,
    }),
    reply: z.strictObject({
      /** As many as a message holds: of the rest it is asked again, by the same numbers. */
      results: z.array(updateResult).max(limits.MAX_BATCH_UPDATES),
      /** Of the volume of the updates, here and below. */
      rooms,
      orders,
    }),
  },
  /** The contents of a file: they follow whole, unless `stream` says what does. */
  Store: {
    ordinal: 12,
    from: 'client',
    priorityClass: 'STORE_DATA',
    content: 'request',
    request: z.strictObject({
      volume: f.volumeId,
      lowWater: f.lowWater,
      seq: f.seq,
      name: f.updateName.optional(),
      after: dependencies,
      afterNames: dependencyNames.optional(),
      update: storeUpdate,
      overtaken,
      /**
       * `delta`: a delta against the version that the update names as its base, or against `from`: a version of another file, in any volume that the
       * device may read (rule D2). Else the contents themselves.
       */
      stream: z
        .strictObject({
          ...stream,
          delta: f.flag,
          from: z.strictObject({ fid: f.fid, version: f.version }).optional(),
        })
        .optional(),
    }),
    reply: z.strictObject({ result: updateResult, rooms, orders, shared: verdict }),
  },
  /**
   * Short files together: the contents of all follow, one after the other. Each is a Store of its own, decided as if it had come by itself, and has
   * its own answer. `results` null: not known yet; it is to be asked for by a Store. A server without this RPC answers `bad-message`.
   */
  StoreMany: {
    ordinal: 18,
    from: 'client',
    priorityClass: 'STORE_DATA',
    content: 'request',
    request: z.strictObject({
      volume: f.volumeId,
      lowWater: f.lowWater,
      stores: z
        .array(
          z.strictObject({
            seq: f.seq,
            name: f.updateName.optional(),
            after: dependencies,
            afterNames: dependencyNames.optional(),
            update: storeUpdate,
          }),
        )
        .min(1)
        .max(limits.MAX_STORES_TOGETHER),
      overtaken,
    }),
    reply: z.strictObject({
      results: z
        .array(
          z
            .union([
              z.strictObject({ result: updateResult, shared: verdict }),
              z.strictObject({
                code: f.errorCode,
                detail: z.string().max(limits.MAX_DETAIL_BYTES),
              }),
            ])
            .nullable(),
        )
        .max(limits.MAX_STORES_TOGETHER),
      rooms,
      orders,
    }),
  },
  ...UNDER_WAY_RPCS,
  ...NAME_RPCS,
  ...SHARING_RPCS,
  ...HISTORY_RPCS,
  ...DEVICE_RPCS,
  ...LOCK_RPCS,
  ...ACCESS_RPCS,
} as const satisfies Record<string, RpcDefinition>;

export type RpcName = keyof typeof RPCS;
export type RequestOf<N extends RpcName> = z.output<(typeof RPCS)[N]['request']>;
export type ReplyOf<N extends RpcName> = z.output<(typeof RPCS)[N]['reply']>;

/** A request of any kind, as a discriminated union over `rpc`. */
export type AnyRequest = {
  [N in RpcName]: { readonly rpc: N; readonly body: RequestOf<N> };
}[RpcName];
