/**
 * A device, its connection, and those of its updates that are on their way. They name each other, so they are described together.
 *
 * Invariants
 * 1. A device has one session at most: `device.connection` and `connection.device` name each other.
 * 2. A device belongs to the server and not to a volume: what it has in a volume is in the state of that volume, by the number of the device. An
 *    update names its volume by number for the same reason.
 */
import { has, USUAL_SETS, type AccessRight } from '../../../shared/model/access-list.ts';
import type { DeviceId, Rights } from '../../../shared/model/change.ts';
import { volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { Access, DaemonInstance } from '../../../shared/model/stored.ts';
import type { Instant } from '../../../shared/model/time.ts';
import type {
  StoreUpdate,
  Update,
  UpdateNonce,
  UpdateResult,
  UpdateSeq,
} from '../../../shared/model/update.ts';
import type { CallId, ConnectionId, Effect } from '../events.ts';
import type { Announcements } from '../hidden/announcements.ts';

/** A device; below zero a previous instance of one (session/previous-instances.ts). */
export type HolderId = DeviceId;

export interface ConnectionState {
  readonly id: ConnectionId;
  readonly fingerprint: string;
  /** Null before its Hello is answered, and after its device has left it. */
  device: DeviceState | null;
  /** A Hello is under way. */
  greeting: boolean;
  /** It has used a number that is known under another name (update/refuse-copy.ts): it writes nothing any more. */
  isCopy: boolean;
  /** Its breaks are numbered, and its answers name the last one. */
  ordersAnswers: boolean;
  lastBreak: number;
  /** What it has reported of updates that it can't send yet; null: it does not report them. */
  announcements: Announcements | null;
  /** It may be asked to hurry. */
  takesPulls: boolean;
  /** It takes files for its own (rule S1), and hears what is shared. */
  takesUnshared: boolean;
  /** It hears what users say of sharing. */
  takesOrders: boolean;
  /** Which state of the locks of volumes it was told of last; null: it does not understand locks. */
  locksTold: Map<VolumeId, number> | null;
  /** It hears what its device is called. */
  takesName: boolean;
  /** The quota of each volume that it was told of last, null: none; null in all: it does not understand that it changes. */
  limitsTold: Map<VolumeId, number | null> | null;
  /** The newest device of its user that it was told of; null: it does not understand that. */
  newestTold: DeviceId | null;
  /** It hears what is a conflict copy. */
  takesCopies: boolean;
  /** Calls that have no answer yet. */
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
  /** Break messages that ran out of patience: no reply goes out before they are acknowledged (callback/breaking.ts). */
  owed: number;
  readonly heldReplies: Array<HeldReply['effect']>;
}

/** A run of a daemon whose device has another one now (session/previous-instances.ts). Its id is below zero. */
export interface PreviousInstance extends Holder {
  readonly device: DeviceId;
  readonly run: DaemonInstance;
}

export interface DeviceState extends Holder {
  readonly id: DeviceId;
  name: string;
  readonly user: number;
  readonly userName: string;
  /** By volume. */
  rights: ReadonlyMap<VolumeId, Access>;
  /** The run of its daemon that said Hello last. */
  run: DaemonInstance;
  /** The group in which the row was staged that says that it may hold a lease. */
  leaseGroup: number;
  /** Breaks in a row that it let run out, and until when it is promised nothing for that (callback/trust.ts). */
  missedBreaks: number;
  pausedUntil: Instant;
  /** It has the answer of every update below. */
  lowWater: UpdateSeq;
  /** The highest number of an update of it that was decided. */
  highest: UpdateSeq;
  /** Updates received and not yet answered. */
  readonly updates: Map<UpdateSeq, PendingUpdate>;
  /** Those of them that wait for another, by the one they wait for. */
  readonly parked: Map<UpdateSeq, Set<PendingUpdate>>;
  /** More updates than are decided at one go; the first of these batches is under way. */
  readonly batches: Array<readonly PendingUpdate[]>;
  /** How many are parked, or held for the end of the grace. */
  waiting: number;
}

/** How many devices were told of one change so far: with a promise for the vnode, and for the volume. */
export interface Told {
  vnode: number;
  volume: number;
}

/** A call that gets an answer when all its updates have theirs. */
export interface PendingAnswer {
  readonly rpc: 'Apply' | 'Store';
  readonly call: CallId;
  readonly results: Array<UpdateResult | null>;
  /** How many of them are null. */
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
  readonly volume: VolumeId;
  readonly seq: UpdateSeq;
  readonly name: UpdateNonce | null;
  readonly after: readonly UpdateSeq[];
  /** Of those, in their order; null: each has the name of this one. */
  readonly afterNames: ReadonlyArray<UpdateNonce | null> | null;
  readonly update: Update;
  stage: 'receiving' | 'loading' | 'parked' | 'held' | 'decided';
  readonly answers: Array<{ readonly answer: PendingAnswer; readonly index: number }>;
  /** Its contents are durable here, or it has none. */
  contents: boolean;
  /** The other volume whose contents its own were made of; null: none. */
  source: VolumeId | null;
  result: UpdateResult | null;
  durable: boolean;
  /** Break messages it waits for. */
  breaks: number;
  /** How many devices were told of it. */
  readonly told: Told;
}

/** A reply that waits for a group, or for what its receiver owes. */
export interface HeldReply {
  readonly device: Holder;
  readonly effect: Extract<Effect, { kind: 'reply' | 'fail' }>;
}

/** Whether the rights of the device allow a store in this volume. A vnode of another volume is refused, even if the device may write there. */
export function mayStore(device: DeviceState, volume: VolumeId, { fid }: StoreUpdate): boolean {
  return volumeOf(fid) === volume && mayDo(device, volume, 'write');
}

/** The right of a device in a volume; null: for it there is no such volume. */
export function rightIn(device: DeviceState, volume: VolumeId): Rights | null {
  return device.rights.get(volume)?.rights ?? null;
}

/** Whether the device may do that in a volume: what is told of its right is the usual meaning, unless a list says more or less. */
export function mayDo(device: DeviceState, volume: VolumeId, right: AccessRight): boolean {
  const access = device.rights.get(volume);
  return access !== undefined && has(access.may ?? USUAL_SETS[access.rights], right);
}
