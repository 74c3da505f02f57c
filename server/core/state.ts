/**
 * Everything the core of the server keeps in memory. What must survive is in rows (shared/model/stored.ts); of those,
 * only the few small ones that every step needs are mirrored here.
 *
 * Invariants
 * 1. A device has one session at most: `device.connection` and `connection.device` name each other.
 * 2. `volume.staged` counts the commits decided, `volume.committed` those that are durable; replies tell of the latter only.
 * 3. A mirror of a row is changed in the step that stages the row; if the row's group fails, `undo` takes the change back.
 */
import type { DeviceId, Rights } from '../../shared/model/change.ts';
import { volumeOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type {
  Access,
  EpochCut,
  LeaseRow,
  RowKey,
  RowWrite,
  RunName,
} from '../../shared/model/stored.ts';
import type { Duration, Instant, WallTime } from '../../shared/model/time.ts';
import { after } from '../../shared/model/time.ts';
import type {
  StoreUpdate,
  Update,
  UpdateName,
  UpdateResult,
  UpdateSeq,
} from '../../shared/model/update.ts';
import type { CommitNumber } from '../../shared/model/vnode.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { AnyRequest, RequestOf } from '../../shared/wire/rpcs.ts';
import { Heap } from '../../shared/util/heap.ts';
import { FETCH_WAIT, LEASE, SHARE_PERIOD } from '../limits.ts';
import { PromiseTable, type HolderId, type SubjectKey } from './callback/promise-table.ts';
import type { CallId, ConnectionId, Effect, KnownContent, ServerStart } from './events.ts';
import { Reservations } from './quota/reservations.ts';
import { CameWhole } from './read/came-whole.ts';
import { ShareMonitor } from './share/share-monitor.ts';
import { SharingOrders } from './share/sharing-orders.ts';
import type { Announcements } from './hidden/announcements.ts';
import { UNMEASURED, type DepthBound } from './volume/depth.ts';
import { DirtyMarks } from './hidden/dirty-marks.ts';
import { Overlay } from './commit/overlay.ts';
import { leaseKey } from './commit/row-key.ts';

export interface VolumeState {
  readonly id: VolumeId;
  readonly name: string;
  staged: CommitNumber;
  committed: CommitNumber;
  /** Its quota in bytes; null: none. */
  limit: number | null;
  /** Bytes of its files, as of `staged`; and as of `committed`. */
  used: number;
  usedCommitted: number;
  /** How deep its directories may be (volume/depth.ts), and the group in which one was made or moved last. */
  depth: DepthBound;
  directoriesStaged: number;
  /** Room that devices were told of and others were not (quota/room.ts). */
  readonly grants: Map<DeviceId, number>;
  /** Room that is kept for uploads under way (quota/reserve.ts). */
  readonly uploads: Reservations<PendingUpdate>;
  /** Bytes on the disk of uploads that were cut off and may go on. */
  begun: number;
  lastUniquifier: number;
  /** Where epochs of its history ended (rule I1). */
  readonly cuts: readonly EpochCut[];
  /** `Changes` that wait for something to tell. */
  readonly pollers: Set<ReadJob>;
}

export interface ConnectionState {
  readonly id: ConnectionId;
  readonly fingerprint: string;
  device: DeviceState | null;
  /** A Hello is under way. */
  greeting: boolean;
  /** It has used a number that is known under another name (update/refuse-copy.ts): it writes nothing any more. */
  isCopy: boolean;
  /** Its breaks are numbered, and its answers name the last one. */
  ordersAnswers: boolean;
  lastBreak: number;
  /** What it told of updates that it can't send yet; null: it does not tell. */
  announcements: Announcements | null;
  /** It may be asked to hurry. */
  takesPulls: boolean;
  /** It takes files for its own (rule S1), and hears what is shared. */
  takesUnshared: boolean;
  /** It hears what users say of sharing. */
  takesOrders: boolean;
  readonly calls: Set<CallId>;
}

/** Who was promised something. */
export interface Holder {
  readonly id: HolderId;
  connection: ConnectionState | null;
  /** Until when its promises may be used: counted from our last reply to it (rule P1). */
  lease: Instant;
  /** A deadline for the end of the lease is in the heap. */
  leaseWatched: boolean;
  lastGrant: number;
  /** Break messages that ran out of patience: no reply goes out before they are acknowledged (breaking.ts). */
  owed: number;
  readonly heldReplies: Effect[];
}

/** A run of a daemon whose device has another one now (session/previous-instances.ts). Its id is below zero. */
export interface FormerRun extends Holder {
  readonly device: DeviceId;
  readonly run: RunName;
}

export interface DeviceState extends Holder {
  readonly id: DeviceId;
  readonly userName: string;
  /** By volume. */
  rights: ReadonlyMap<VolumeId, Access>;
  /** The run of its daemon that said Hello last. */
  run: RunName;
  /** The group in which the row was staged that says that it may hold a lease. */
  leaseGroup: number;
  /** Breaks in a row that it let run out, and until when it is promised nothing for that (callback/trust.ts). */
  missedBreaks: number;
  pausedUntil: Instant;
  lowWater: UpdateSeq;
  highest: UpdateSeq;
  /** Updates received and not yet answered. */
  readonly updates: Map<UpdateSeq, PendingUpdate>;
  /** Those of them that wait for another, by the one they wait for. */
  readonly parked: Map<UpdateSeq, Set<PendingUpdate>>;
  /** Blocks of which nothing was made, as far as they are known; a volume that is not named was not asked about (read/allocate-vnodes.ts). */
  readonly unusedBlocks: Map<VolumeId, Set<number>>;
  /** More updates than are decided at one go; the first of these batches is under way. */
  readonly batches: Array<readonly PendingUpdate[]>;
  waiting: number;
}

/** A call that gets an answer when all its updates have theirs. */
export interface PendingAnswer {
  readonly rpc: 'Apply' | 'Store';
  readonly call: CallId;
  readonly results: Array<UpdateResult | null>;
  remaining: number;
}

/**
 * An update on its way through the server.
 * receiving: its contents are under way; loading: its rows are; parked: it waits for another update; held: for the
 * end of the grace after a restart; decided: for its group and for acknowledgements of breaks.
 */
export interface PendingUpdate {
  readonly device: DeviceState;
  /** The one it came by first. */
  readonly connection: ConnectionState | null;
  readonly volume: VolumeState;
  readonly seq: UpdateSeq;
  readonly name: UpdateName | null;
  readonly after: readonly UpdateSeq[];
  /** Of those, in their order; null: each has the name of this one. */
  readonly afterNames: ReadonlyArray<UpdateName | null> | null;
  readonly update: Update;
  stage: 'receiving' | 'loading' | 'parked' | 'held' | 'decided';
  readonly answers: Array<{ readonly answer: PendingAnswer; readonly index: number }>;
  /** Its contents are durable here, or it has none. */
  contents: boolean;
  result: UpdateResult | null;
  durable: boolean;
  /** Break messages it waits for. */
  breaks: number;
}

/** A store whose contents are under way, by its call. `keeping`: they have arrived, and are being rebuilt or made durable. */
export interface Receiving {
  readonly pending: PendingUpdate;
  /** What tells them; null: they come whole, themselves. */
  readonly stream: StoreStream | null;
  /** More than is taken a second time for nothing. */
  readonly isMuch: boolean;
  /** What its delta is against, once that is known: it is not collected meanwhile (rule D3). */
  base: KnownContent | null;
  keeping: boolean;
}

export type StoreStream = NonNullable<RequestOf<'Store'>['stream']>;

export interface ReadJob {
  readonly kind: 'read';
  readonly device: DeviceState;
  readonly call: CallId;
  readonly request: AnyRequest;
  round: number;
  /** It waits no more: answer with what there is. */
  final: boolean;
  waiting: boolean;
  /** The end of its wait is in the heap. */
  timed: boolean;
  /** The vnode whose mark it waits for. */
  waitsOn: Fid | null;
  /** When to look whether who it waits for still answers is in the heap. */
  watched: boolean;
}

export interface HelloJob {
  readonly kind: 'hello';
  readonly connection: ConnectionState;
  readonly call: CallId;
  readonly request: Extract<AnyRequest, { rpc: 'Hello' }>['body'];
}

/** `rest`: those that come after, once these are decided. `isBatch`: all of them are the first of their device's batches. */
export interface UpdatesJob {
  readonly kind: 'updates';
  readonly updates: readonly PendingUpdate[];
  readonly rest: readonly PendingUpdate[];
  readonly isBatch: boolean;
  readonly extra: readonly RowKey[];
  readonly round: number;
}

/** Was this store applied already? Then its contents need not come again. */
export interface ReceiptJob {
  readonly kind: 'receipt';
  readonly pending: PendingUpdate;
  readonly call: CallId;
}

/** Which contents is this delta against? It lies at `path`. */
export interface BaseJob {
  readonly kind: 'base';
  readonly pending: PendingUpdate;
  readonly call: CallId;
  readonly path: string;
}

/** Which contents will this delta be against? It is on its way. */
export interface PinJob {
  readonly kind: 'pin';
  readonly pending: PendingUpdate;
  readonly call: CallId;
}

/** Were these hidden updates applied already? Then the message that told of them came late. */
export interface AnnouncedJob {
  readonly kind: 'announced';
  readonly device: DeviceState;
  readonly marks: ReadonlyArray<{ readonly fid: Fid; readonly seq: UpdateSeq }>;
}

export type Job = ReadJob | HelloJob | UpdatesJob | ReceiptJob | BaseJob | PinJob | AnnouncedJob;

export interface Load {
  readonly keys: readonly RowKey[];
  readonly job: Job;
}

/** Takes a change of memory back; `code` is why. */
export type Undo = (ctx: Context, code: ErrorCode) => void;

/** Rows that become durable together, and what waits for that. */
export interface Group {
  readonly id: number;
  readonly writes: RowWrite[];
  readonly undo: Array<Undo>;
  readonly updates: PendingUpdate[];
  /** Replies made of rows of this group, in order. */
  readonly replies: HeldReply[];
  readonly reads: ReadJob[];
  /** The newest load when its first row was staged: it waits for those that may add to it. */
  closeAfter: number;
  /** Heads of volumes as of this group, and what their files take. */
  readonly heads: Map<VolumeId, CommitNumber>;
  readonly used: Map<VolumeId, number>;
}

export interface HeldReply {
  readonly device: Holder;
  readonly effect: Extract<Effect, { kind: 'reply' | 'fail' }>;
}

export interface BreakMessage {
  readonly id: number;
  holder: Holder;
  readonly since: Instant;
  readonly keys: SubjectKey[];
  readonly waiters: PendingUpdate[];
  /** Its writers wait no more; the device still has to acknowledge it. */
  owed: boolean;
  sent: boolean;
  /** Some of it is the device's own: it tells what it has hidden of that (rule S1). */
  endsUnshared: boolean;
}

/** A question to a device that was not answered yet. */
export interface Pull {
  readonly device: DeviceId;
  readonly fid: Fid;
  readonly since: Instant;
}

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
  nextDevice: DeviceId;
  readonly volumes: Map<VolumeId, VolumeState>;
  readonly connections: Map<ConnectionId, ConnectionState>;
  readonly devices: Map<DeviceId, DeviceState>;
  readonly formerRuns: Map<HolderId, FormerRun>;
  lastFormerRun: number;
  /** Who asked, by call. */
  readonly calls: Map<CallId, ConnectionState>;
  readonly receiving: Map<CallId, Receiving>;
  /** What may go along with answers to who follows (read/brought.ts). */
  readonly whole: CameWhole;

  readonly overlay: Overlay;
  readonly dirty: DirtyMarks;
  collecting: Group;
  committing: Group | null;
  /** The newest durable group. */
  durableGroup: number;
  lastTicket: number;
  /** In the order in which they began. */
  readonly loads: Map<number, Load>;
  /** Those of them whose rows will be staged. */
  readonly adding: Set<number>;
  /** Durable groups whose rows a load under way may lack: `ticket` is the newest such load. */
  readonly retiring: Array<{ readonly group: number; readonly ticket: number }>;

  readonly promises: PromiseTable;
  /** How many ran out while a change waited for them, since the process began. */
  lapsedLeases: number;
  lastMessage: number;
  readonly messages: Map<number, BreakMessage>;
  readonly messagesOf: Map<HolderId, Set<BreakMessage>>;
  readonly breaking: Map<SubjectKey, Set<BreakMessage>>;
  /** Messages of the step under way. */
  readonly fresh: Map<HolderId, BreakMessage>;

  /** Who has used what (share/share-monitor.ts). */
  readonly monitor: ShareMonitor;
  /** What users say of that (share/sharing-orders.ts). */
  readonly sharing: SharingOrders;
  /** How long a read waits for what somebody has hidden (rule S4). */
  readonly readerWait: Duration;

  /** Reads that wait for a store, or for what somebody has hidden, by the vnode that is marked. */
  readonly waitingFetches: Map<Fid, Set<ReadJob>>;
  waitingFetchCount: number;
  /** Who was asked to hurry what (read/server-pull.ts), by message. */
  readonly pulls: Map<number, Pull>;
  /** Reads to begin again at the end of this step. */
  readonly again: ReadJob[];
  waitingUpdates: number;
  readonly deadlines: Heap<Deadline>;
  /** After a start: whose leases of the process before may not have ended (rule P1), by leaseKey; null: it is over. */
  grace: { readonly until: Instant; readonly leases: Set<string> } | null;
  /** Updates received in the grace, in order. */
  readonly heldUpdates: PendingUpdate[];
  /** Who has a row that says that it may hold a lease, by leaseKey. */
  readonly leaseRows: Map<string, LeaseRow>;
  /** Devices that an administrator is known to have revoked; there is no way back. */
  readonly revoked: Set<DeviceId>;
  /** How often what is known of rights may have become older than it was: whoever watches them looks again. */
  accessDoubts: number;
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

export function makeState(start: ServerStart, now: Instant): ServerState {
  const { stored } = start;
  const dirty = new DirtyMarks();
  for (const mark of stored.dirty) dirty.put(mark);
  const volumes = stored.volumes.map(
    (volume) => [volume.id, startedVolume(volume, stored.cuts)] as const,
  );
  const deadlines = new Heap<Deadline>((a, b) => a.at - b.at);
  const leaseRows = new Map(stored.leases.map((row) => [leaseKey(row), row]));
  const grace =
    leaseRows.size === 0 ? null : { until: after(now, LEASE), leases: new Set(leaseRows.keys()) };
  if (grace !== null) deadlines.push({ at: grace.until, kind: 'grace' });
  return {
    epoch: stored.epoch,
    boot: start.boot,
    software: start.software,
    nextDevice: stored.nextDevice,
    volumes: new Map(volumes),
    connections: new Map(),
    devices: new Map(),
    formerRuns: new Map(),
    lastFormerRun: 0,
    calls: new Map(),
    receiving: new Map(),
    whole: new CameWhole(),
    overlay: new Overlay(),
    dirty,
    collecting: makeGroup(1),
    committing: null,
    durableGroup: 0,
    lastTicket: 0,
    loads: new Map(),
    adding: new Set(),
    retiring: [],
    promises: new PromiseTable(),
    lapsedLeases: 0,
    lastMessage: 0,
    messages: new Map(),
    messagesOf: new Map(),
    breaking: new Map(),
    fresh: new Map(),
    monitor: new ShareMonitor(start.sharing?.period ?? SHARE_PERIOD),
    sharing: new SharingOrders(stored.sharing),
    readerWait: start.sharing?.readerWait ?? FETCH_WAIT,
    waitingFetches: new Map(),
    waitingFetchCount: 0,
    pulls: new Map(),
    again: [],
    waitingUpdates: 0,
    deadlines,
    grace,
    heldUpdates: [],
    leaseRows,
    revoked: new Set(),
    accessDoubts: 0,
    closing: 'no',
  };
}

function startedVolume(
  volume: ServerStart['stored']['volumes'][number],
  cuts: ServerStart['stored']['cuts'],
): VolumeState {
  return {
    ...volume,
    staged: volume.head,
    committed: volume.head,
    cuts: cuts.filter((cut) => cut.volume === volume.id),
    usedCommitted: volume.used,
    depth: UNMEASURED,
    directoriesStaged: 0,
    grants: new Map(),
    uploads: new Reservations(),
    begun: 0,
    pollers: new Set(),
  };
}

export function makeGroup(id: number): Group {
  return {
    id,
    writes: [],
    undo: [],
    updates: [],
    replies: [],
    reads: [],
    closeAfter: 0,
    heads: new Map(),
    used: new Map(),
  };
}

/** Would it be heard? A vnode of another volume is none of this one's, whatever the device may do there. */
export function mayStore(device: DeviceState, volume: VolumeId, { fid }: StoreUpdate): boolean {
  return volumeOf(fid) === volume && rightIn(device, volume) === 'write';
}

/** The right of a device in a volume; null: for it there is no such volume. */
export function rightIn(device: DeviceState, volume: VolumeId): Rights | null {
  return device.rights.get(volume)?.rights ?? null;
}
