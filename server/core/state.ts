/**
 * What the core of the server keeps in memory: the state of each volume (volume-state.ts), and that of the server as a whole: connections,
 * devices and their rights, leases and the grace, the pipeline of commits, deadlines. Room by room it is described where it is used.
 *
 * What must survive is in rows (shared/model/stored.ts); of those, only the few small ones that every step needs are mirrored here.
 */
import type { DeviceId } from '../../shared/model/change.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { Duration, Instant, WallTime } from '../../shared/model/time.ts';
import type { CommitNumber } from '../../shared/model/vnode.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { AnyRequest } from '../../shared/wire/rpcs.ts';
import { Heap } from '../../shared/util/heap.ts';
import {
  FETCH_WAIT,
  MAX_DEVICE_PROMISES,
  MAX_PROMISES,
  SHARE_PERIOD,
  UPDATES_AT_ONCE,
} from '../limits.ts';
import { BreakBoard } from './callback/break-board.ts';
import { BreakCounts } from './callback/break-counts.ts';
import { CommitPipeline, type CommitGroup } from './commit/commit-pipeline.ts';
import { Overlay } from './commit/overlay.ts';
import { RowView, type LoadedRows } from './commit/row-view.ts';
import type {
  ConnectionState,
  DeviceState,
  HeldReply,
  Holder,
  HolderId,
  PendingUpdate,
  PreviousInstance,
} from './device/device.ts';
import { Leases } from './device/leases.ts';
import type { AccessReply, CallId, ConnectionId, Effect, ServerStart } from './events.ts';
import { CameWhole } from './read/came-whole.ts';
import type {
  AnnouncedJob,
  BaseJob,
  PinJob,
  ReceiptJob,
  Receiving,
  UpdatesJob,
} from './update/jobs.ts';
import { Volumes } from './volume-state.ts';
import type { ReadJob } from './wait/read-job.ts';

/** A Hello whose rows are being loaded. */
export interface HelloJob {
  readonly kind: 'hello';
  readonly connection: ConnectionState;
  readonly call: CallId;
  readonly request: Extract<AnyRequest, { rpc: 'Hello' }>['body'];
}

/** What rows are loaded for. */
export type Job = ReadJob | HelloJob | UpdatesJob | ReceiptJob | BaseJob | PinJob | AnnouncedJob;

/** Takes a change of memory back; `code` is why. */
export type Undo = (ctx: Context, code: ErrorCode) => void;

/** Rows that become durable together, and what waits for that. */
export interface Group extends CommitGroup {
  readonly undo: Undo[];
  readonly updates: PendingUpdate[];
  /** Replies made of rows of this group, in order. */
  readonly replies: HeldReply[];
  readonly reads: ReadJob[];
  /** Heads of volumes as of this group, and what their files take. */
  readonly heads: Map<VolumeId, CommitNumber>;
  readonly used: Map<VolumeId, number>;
}

/** When something is to be looked at, and what. */
export type Deadline = { readonly at: Instant } & (
  | { readonly kind: 'lease'; readonly holder: Holder }
  | { readonly kind: 'read'; readonly job: ReadJob }
  | { readonly kind: 'quiet'; readonly job: ReadJob }
  | { readonly kind: 'hello'; readonly connection: ConnectionState }
  | { readonly kind: 'grace' }
  | { readonly kind: 'closing' }
);

export interface ServerState {
  readonly epoch: string;
  readonly boot: string;
  readonly software: string;
  readonly updatesAtOnce: number;
  /** Promises of one device, and of all: what is more is taken back (callback/reclaim.ts). */
  readonly mostPromises: { readonly device: number; readonly all: number };
  nextDevice: DeviceId;
  /** Of each user the newest device, by what was stored and has joined since (read/tell-devices.ts). */
  readonly newestDevices: Map<number, DeviceId>;
  readonly volumes: Volumes;

  readonly connections: Map<ConnectionId, ConnectionState>;
  readonly devices: Map<DeviceId, DeviceState>;
  readonly previousInstances: Map<HolderId, PreviousInstance>;
  lastPreviousInstance: number;
  /** Where a call came from. */
  readonly calls: Map<CallId, ConnectionState>;
  readonly receiving: Map<CallId, Receiving>;
  /** Devices that an administrator is known to have revoked; there is no way back. */
  readonly revoked: Set<DeviceId>;
  /** Counts the times at which known rights may have become outdated; watchers of rights compare it and look again. */
  accessDoubts: number;
  /** Changes of access that wait until they are in force (read/ask-access.ts). */
  readonly accessReplies: AccessReply[];

  readonly leases: Leases;
  /** How many ran out while a change waited for them, since the process began. */
  lapsedLeases: number;
  readonly breaks: BreakBoard;
  /** How many devices were told of a change. */
  readonly breakCounts: BreakCounts;

  readonly commits: CommitPipeline<Job, Group>;
  /** Staged rows of no volume. */
  readonly rows: Overlay;
  /** What may go along with answers to who follows (read/brought.ts). */
  readonly whole: CameWhole;
  /** How long a read waits for what somebody has hidden (rule S4). */
  readonly readerWait: Duration;
  /** Reads to begin again at the end of this step. */
  readonly again: ReadJob[];
  /** Updates that are parked, or held for the end of the grace. */
  waitingUpdates: number;
  readonly deadlines: Heap<Deadline>;
  /** `flushing`: breaks are done with, the last rows are being written. */
  closing: 'no' | 'breaking' | 'flushing' | 'closed';
}

/** What one step works with. */
export interface Context {
  readonly state: ServerState;
  readonly now: Instant;
  readonly wall: WallTime;
  readonly out: Effect[];
}

/** The state of a server that starts with these rows: nobody is connected, and nothing is promised. */
export function makeState(start: ServerStart, now: Instant): ServerState {
  const { stored, sharing } = start;
  const deadlines = new Heap<Deadline>((a, b) => a.at - b.at);
  const leases = new Leases(stored.leases, now);
  if (leases.graceUntil !== null) deadlines.push({ at: leases.graceUntil, kind: 'grace' });
  return {
    epoch: stored.epoch,
    boot: start.boot,
    software: start.software,
    updatesAtOnce: start.updatesAtOnce ?? UPDATES_AT_ONCE,
    mostPromises: start.mostPromises ?? { device: MAX_DEVICE_PROMISES, all: MAX_PROMISES },
    nextDevice: stored.nextDevice,
    newestDevices: new Map(stored.newestDevices.map(({ user, device }) => [user, device])),
    volumes: new Volumes(stored, sharing?.period ?? SHARE_PERIOD),
    connections: new Map(),
    devices: new Map(),
    previousInstances: new Map(),
    lastPreviousInstance: 0,
    calls: new Map(),
    receiving: new Map(),
    revoked: new Set(),
    accessDoubts: 0,
    accessReplies: [],
    leases,
    lapsedLeases: 0,
    breaks: new BreakBoard(),
    breakCounts: new BreakCounts(),
    commits: new CommitPipeline(makeGroup),
    rows: new Overlay(),
    whole: new CameWhole(),
    readerWait: sharing?.readerWait ?? FETCH_WAIT,
    again: [],
    waitingUpdates: 0,
    deadlines,
    closing: 'no',
  };
}

function makeGroup(id: number): Group {
  const rows = { writes: [], undo: [], overlays: new Set<Overlay>(), closeAfter: 0, letsIn: null };
  const followers = { updates: [], replies: [], reads: [] };
  return { id, ...rows, ...followers, heads: new Map(), used: new Map() };
}

/** What a step sees of these rows: those that are staged come before. */
export function viewOf({ state }: Context, rows: LoadedRows): RowView {
  return new RowView(
    (volume) => (volume === null ? state.rows : state.volumes.find(volume)?.rows),
    rows,
  );
}
