/**
 * The control protocol: HTTP with JSON bodies over a Unix socket (a named pipe on Windows). The socket lies in a folder
 * with mode 0700 and the peer's user is checked, so every client may do what the user may.
 *
 * `GET /v1/status?revision=N&waitMs=M`: the snapshot; with `revision`, held until it differs, M milliseconds at most.
 * `POST /v1/command/NAME` and `POST /v1/fs/OPERATION`: a JSON body in. Every answer, of any HTTP status, is
 * `{"ok": true, "result": ...}` or `{"ok": false, "error": {"code", "message", "remedy"}}`; where there is nothing to
 * say, `result` is null.
 *
 * `GET /v1/calls` with an upgrade to a WebSocket: calls for files, for programs that make many. Each text message
 * `{"id": N, "call": OPERATION, "args": ...}` is answered by one, `{"id": N, "ok": ...}` and so on as above. Several may be under way, and
 * are taken in the order in which they come; a message that is no call ends the connection.
 *
 * A handle that `open` gives belongs to the connection it was opened on: only there can it be closed, and when that
 * connection ends, however it does, a handle to read is closed and one to write is abandoned. So a program keeps
 * its connection (a WebSocket, or HTTP keep-alive; the daemon never ends an idle one) for as long as it has a file open.
 */
import { z } from 'zod';
import { CONTENTS_ACTS } from '../model/cache.ts';
import { AWAY_READS, INVALIDATIONS, STORE_PRIORITIES, VALIDATIONS } from '../model/consistency.ts';
import { GROUP_KINDS, MOST_MEMBERS } from '../model/file-group.ts';
import { isFid, type Fid } from '../model/fid.ts';
import { nameFault } from '../model/names.ts';
import { METERED_RULES, MOST_NETWORK_NAME } from '../model/network.ts';
import {
  isDigest,
  isMtime,
  mtimeInRange,
  type DataVersion,
  type Digest,
  type Mtime,
  type Xattr,
} from '../model/vnode.ts';
import { WRITEBACK_POLICIES } from '../model/writeback.ts';
import { GROUP_ACTS } from './groups.ts';
import {
  LONGEST_DELAY_MS,
  LONGEST_PAUSE_MS,
  MAX_FOLDER_ENTRIES,
  MAX_PREVIEW_BYTES,
  MAX_QUEUE_ENTRIES,
  MAX_WAIT_MS,
  SHORTEST_PAUSE_MS,
} from './limits.ts';
import { SHARING_WORDS } from './sharing.ts';
import { QUEUE_ACTS, QUEUE_NAMES } from './queue.ts';
import { SIDES_TO_KEEP } from './resolution.ts';

const fid = z.custom<Fid>(isFid, 'not a fid');
/** Told as what it is, as the port tells it: a program may ask for any name. */
const name = z.string().superRefine((text, context) => {
  const message = nameFault(text);
  if (message !== null) context.addIssue({ code: 'custom', message, params: { is: 'bad-name' } });
});
const mtime = z.custom<Mtime>(isMtime, 'not a time in nanoseconds').transform(mtimeInRange);
const digest = z.custom<Digest>(isDigest, 'not a digest');
const version = z.number().int().min(0) as unknown as z.ZodType<DataVersion>;
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

const volume = z.string().min(1).max(255);
/** An invalid one is refused with what is wrong with it. */
const groupName = z.string().max(4096);
/** Bytes, or bytes a second. */
const amount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** An invalid one is refused with what is wrong with it. */
const MOST_ADDRESS = 1000;
const MOST_PATH = 4096;
/** More names than any path has. */
const path = z.array(name).max(4096);

/** Commands and their arguments. */
export const COMMANDS = {
  down: z.strictObject({}),
  /** With `forMs` syncing goes on by itself after so long: the result says when, `{"pausedUntil": ISO | null}`. */
  pause: z.union([
    z.strictObject({
      forMs: z.number().int().min(SHORTEST_PAUSE_MS).max(LONGEST_PAUSE_MS).optional(),
    }),
    z.strictObject({ untilNetworkChanges: z.literal(true) }),
  ]),
  resume: z.strictObject({}),
  /** What waits to be sent (shared/control/queue.ts): a page of it, of one queue or of both. */
  queue: z.strictObject({
    most: z.number().int().min(1).max(MAX_QUEUE_ENTRIES),
    from: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    of: z.enum(QUEUE_NAMES).optional(),
    listing: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  }),
  /** What waits to be sent of one file, or of a folder with all that is in it (PathQueue). */
  'queue-at': z.strictObject({ volume, path }),
  /** What is being fetched (shared/control/queue.ts): so many entries of it. */
  fetches: z.strictObject({ most: z.number().int().min(1).max(MAX_QUEUE_ENTRIES) }),
  'queue-order': z.strictObject({
    act: z.enum(QUEUE_ACTS),
    target: z.union([
      z.strictObject({ number: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
      z.strictObject({ volume, path }),
    ]),
    withDependents: z.boolean(),
  }),
  /** How it is sent (shared/model/writeback.ts). What is left out stays; the result is what holds now. */
  writeback: z.strictObject({
    policy: z.enum(WRITEBACK_POLICIES).optional(),
    delayMs: z.number().int().min(0).max(LONGEST_DELAY_MS).optional(),
    dirtyLimit: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullable().optional(),
  }),
  /** How others are kept from reading what is old (shared/model/consistency.ts), likewise. */
  consistency: z.strictObject({
    invalidations: z.enum(INVALIDATIONS).optional(),
    storePriorities: z.enum(STORE_PRIORITIES).optional(),
    awayReads: z.enum(AWAY_READS).optional(),
    validations: z.enum(VALIDATIONS).optional(),
  }),
  /** The sharing orders of users, and what holds for one vnode (shared/control/sharing.ts). */
  sharing: z.strictObject({ fid: fid.optional() }),
  'sharing-order': z.strictObject({ fid, order: z.enum(SHARING_WORDS) }),
  /** How large the file cache may be, and whether it looks ahead (shared/model/cache.ts); as for `writeback`. */
  'cache-settings': z.strictObject({
    minimum: amount.nullable().optional(),
    maximum: amount.nullable().optional(),
    reserve: amount.nullable().optional(),
    prefetch: z.boolean().optional(),
  }),
  /** The same server is at another address from now on: HOST:PORT. */
  'server-address': z.strictObject({ address: z.string().max(MOST_ADDRESS) }),
  /** The folder is to be there, or was moved there: a whole path of this machine. */
  'folder-place': z.strictObject({ path: z.string().max(MOST_PATH) }),
  /** What is to be here, and what not (shared/control/cache.ts); of a folder: all that is in it. */
  cache: z.strictObject({ act: z.enum(CONTENTS_ACTS), volume, path }),
  /** What the file cache has and how large it may be, and what is pinned (shared/control/cache.ts). */
  'cache-use': z.strictObject({}),
  /** A part of what is in a folder (shared/control/folder.ts): so many entries, from one on. */
  folder: z.strictObject({
    volume,
    path,
    from: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    most: z.number().int().min(1).max(MAX_FOLDER_ENTRIES),
  }),
  /** The file groups of a volume, the files of one, and orders for one (shared/control/groups.ts). */
  groups: z.strictObject({ volume }),
  group: z.strictObject({ volume, name: groupName }),
  'group-order': z.strictObject({
    act: z.enum(GROUP_ACTS),
    volume,
    name: groupName,
    kind: z.enum(GROUP_KINDS).optional(),
    files: z.array(fid).max(MOST_MEMBERS),
  }),
  /** Files that were opened together more than once. */
  'group-suggestions': z.strictObject({}),
  /** Looks for changes in the folder; what is queued is sent without a delay. */
  scan: z.strictObject({}),
  /** Why a path of the folder is not synced: `{"reason": TEXT | null}`. */
  'left-out': z.strictObject({ volume, path }),
  /** `now`: also what its network holds back. */
  flush: z.strictObject({
    timeoutMs: z.number().min(0).nullable(),
    now: z.boolean().optional(),
  }),
  /**
   * Confirms or rejects removals that are held back; the result counts them: `{"paths": N}`. `path`: those there and beneath it; left out: all.
   * A daemon of before refuses it, so nothing more than meant is done.
   */
  confirm: z.strictObject({ path: path.optional() }),
  reject: z.strictObject({ path: path.optional() }),
  /** What the daemon takes of the disk (shared/control/disk.ts). */
  disk: z.strictObject({}),
  /** What it tells a Prometheus, as text: `{"text": "..."}`. No port has to be open. */
  metrics: z.strictObject({}),
  /**
   * Records of what the front ends do (shared/control/recording.ts): null begins a recording; then each call says how many have arrived,
   * and waits for more, so long at most; `end` ends it and gives the rest.
   */
  record: z.strictObject({
    recording: z.number().int().min(1).nullable(),
    received: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    waitMs: z.number().int().min(0).max(MAX_WAIT_MS),
    end: z.boolean(),
  }),
  /** The newest lines of the daemon's log. */
  log: z.strictObject({ lines: z.number().int().min(1).max(10_000) }),
  /** The versions of a file, and what was removed from a folder (shared/control/history.ts). Paths are names from the root. */
  versions: z.strictObject({ volume, path }),
  removed: z.strictObject({ volume, path }),
  /** Brings back what `path` was: that version, or as it was at that time (milliseconds since 1970). */
  restore: z.strictObject({
    volume,
    path,
    version: z.number().int().min(1).nullable(),
    at: z.number().nullable(),
    to: path.nullable(),
  }),
  /** Takes back what this device did: so many things, or all since a time. */
  undo: z.strictObject({
    volume,
    extent: z.union([
      z.strictObject({ last: z.number().int().min(1).max(100_000) }),
      z.strictObject({ since: z.number() }),
    ]),
    dryRun: z.boolean(),
  }),
  /** What is known and ruled of networks (shared/control/network.ts). */
  networks: z.strictObject({}),
  /** Rules for a network: what is left out stays as it is, and `rule` null takes the rule away. */
  'network-rule': z.strictObject({
    network: z.string().min(1).max(MOST_NETWORK_NAME),
    rule: z
      .strictObject({
        metered: z.enum(METERED_RULES).optional(),
        budget: amount.nullable().optional(),
        trickle: amount.nullable().optional(),
        pause: z.boolean().optional(),
      })
      .nullable(),
  }),
  /** The beginning of a file, for people (shared/control/preview.ts). It is fetched where it is not here. */
  preview: z.strictObject({
    volume,
    path,
    most: z.number().int().min(1).max(MAX_PREVIEW_BYTES),
  }),
  /** Serves the page on loopback until the daemon ends; the result opens it, once and within a minute: `{"url": "http://..."}`. */
  ui: z.strictObject({}),
  /** Forgets a conflict that a person has dealt with. */
  dismiss: z.strictObject({ id: z.number().int().min(1) }),
  /** Keeps one side of a conflict and removes the other (shared/control/resolution.ts). */
  resolve: z.strictObject({ id: z.number().int().min(1), keep: z.enum(SIDES_TO_KEEP) }),
} as const;

/** Operations of the file-system port and their arguments, as objects. */
export const FS_OPERATIONS = {
  volumes: z.strictObject({}),
  lookup: z.strictObject({ dir: fid, name }),
  getattr: z.strictObject({ fid }),
  readdir: z.strictObject({ dir: fid }),
  create: z.strictObject({ dir: fid, name, options: make }),
  createOpen: z.strictObject({ dir: fid, name, options: make }),
  mkdir: z.strictObject({ dir: fid, name, options: make }),
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
  rmdir: z.strictObject({ place }),
  rename: z.strictObject({
    from: place,
    to: place,
    options: z.strictObject({ noReplace: z.boolean().optional() }).optional(),
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

export const CALLS_PATH = '/v1/calls';

/** A message over the WebSocket of that path; `args` are those of its operation. */
export interface FsCall {
  readonly id: number;
  readonly call: string;
  readonly args: unknown;
}

const MOST_CALL_NAME = 64;

/** By hand: it is on the way of every call, and a schema is compiled at the first. */
export function isFsCall(message: unknown): message is FsCall {
  if (typeof message !== 'object' || message === null) return false;
  const { id, call, args, ...more } = message as Partial<FsCall>;
  const isId = Number.isSafeInteger(id) && (id as number) >= 0;
  const isCall = typeof call === 'string' && call.length <= MOST_CALL_NAME;
  return isId && isCall && args !== undefined && Object.keys(more).length === 0;
}

export type CommandName = keyof typeof COMMANDS;
export type FsOperationName = keyof typeof FS_OPERATIONS;
export type CommandArguments<N extends CommandName> = z.output<(typeof COMMANDS)[N]>;
export type FsArguments<N extends FsOperationName> = z.output<(typeof FS_OPERATIONS)[N]>;

export interface ControlError {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

export type ControlReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: ControlError };
