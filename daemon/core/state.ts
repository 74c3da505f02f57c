/**
 * The whole state of a client, for the parts of the core to work on. What is durable is in the parts that take an
 * Outbox; the rest begins empty at each start.
 */
import { volumeOf } from '../../shared/model/fid.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { Rights } from '../../shared/model/change.ts';
import type { Refusal, UpdateName, UpdateSeq } from '../../shared/model/update.ts';
import type { CommitNumber, DataVersion, Digest, VnodeStatus } from '../../shared/model/vnode.ts';
import { DEFAULT_CACHE, type CacheSettings, type DiskRoom } from '../../shared/model/cache.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type { Duration, Instant } from '../../shared/model/time.ts';
import type { Attributes, Handle, Place } from '../../shared/ports/file-system.ts';
import type {
  AliasRow,
  MetaValue,
  VnodeBlock,
  VolumeRow,
} from '../../shared/ports/client-store.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../shared/wire/rpcs.ts';
import { RateEstimate } from '../../shared/util/rate-estimate.ts';
import { RATE_LEAST, RATE_MEMORY } from '../limits.ts';
import { AttributeCache } from './cache/attribute-cache.ts';
import { FileCache } from './cache/file-cache.ts';
import { Pins } from './cache/pins.ts';
import { RecentFiles } from './cache/recent-files.ts';
import { AnswerOrder } from './sharing/answer-order.ts';
import { CallbackPromises } from './sharing/callback-promise.ts';
import { CallNotes } from './calls/call-notes.ts';
import { WaitingCalls } from './waits/waiting-calls.ts';
import { AdjustmentList } from './conflict/adjustment-list.ts';
import { ConflictList } from './conflict/conflict-list.ts';
import { BehindVnodes } from './sharing/behind.ts';
import type { HiddenUpdates } from './log/hidden-updates.ts';
import { KnownOrders } from './sharing/known-orders.ts';
import { SharedFiles } from './sharing/shared-files.ts';
import { Delays } from './waits/delays.ts';
import { Outbox, type AnyRpc, type FileTask } from './effects.ts';
import type { EpochChange } from './recovery/lost-volume.ts';
import type { CloseChange, Now, ReplyEvent, Serial } from './events.ts';
import { NameCache } from './names/name-cache.ts';
import { Networks } from './network/networks.ts';
import { Requests, type About, type Purpose } from './waits/requests.ts';
import { FetchList } from './cache/fetch-list.ts';
import { PrefetchState } from './prefetch/prefetch-state.ts';
import { QuotaState } from './quota/quota-state.ts';
import { Session } from './session/session.ts';
import { Allowance } from './log/allowance.ts';
import { ReadyQueue } from './log/ready-queue.ts';
import { DEFAULT_CONSISTENCY, type ConsistencySettings } from '../../shared/model/consistency.ts';
import { DEFAULT_WRITEBACK, type WritebackSettings } from '../../shared/model/writeback.ts';
import { StoreWindow } from './log/store-window.ts';
import { UpdateLog } from './log/update-log.ts';

export interface ClientConfig {
  readonly deviceName: string;
  readonly software: string;
  /** The fingerprint of our key; left out: it is always the same. */
  readonly identity?: string;
  /** The name of updates logged in this run (UpdateName); left out: they have none. */
  readonly updateName?: UpdateName;
  /** Where the data folder is: other words for each copy of it, and after each start of the machine. Left out: not known. */
  readonly place?: string;
  /** `folder`: a front end follows each volume with a whole replica. */
  readonly frontEnd: 'folder' | 'none';
  /** To be redeemed at the first Hello. A secret. */
  readonly invitation: { readonly id: string; readonly secret: string } | null;
  readonly notConnectedWait: Duration;
  /** The most bytes of the file cache, where nobody has said otherwise. */
  readonly cacheBytes: number;
  /** Bytes of queued contents from which on writes wait, where nobody has said otherwise; left out: there is no limit. */
  readonly dirtyBytes?: number;
  /** Somebody will tell which network there is: until then nothing moves in the background. */
  readonly watchesNetwork?: boolean;
  /** Somebody may have contents in place (LocalCopies). */
  readonly localCopies: boolean;
}

/** A place, and the directories above it, innermost first. */
export interface Origin {
  readonly place: Place;
  readonly ancestors: readonly Fid[];
}

export interface OpenHandle {
  readonly handle: Handle;
  /** A writer's moves to the copy when the store it began with loses (C1). */
  fid: Fid;
  readonly content: string;
  readonly writing: boolean;
  /** The version that writes are made over; moves on with our own stores. */
  base: DataVersion;
  /** A front end that tells what it found on its disk; its numbers are ahead of those of `fid` by so much. */
  readonly observed: { readonly ahead: number; readonly digest: Digest | null } | null;
  /** Of a writer: where the file was when it was opened, for others may remove it meanwhile. null: no name of it was ever known. */
  had: Origin | null;
  /** Its close is being made durable. */
  closing: boolean;
}

/** A flush somebody waits for. */
export interface RunningFlush {
  readonly barrier: UpdateSeq;
  readonly deadline: Instant | null;
  /** A GetTime sent after this tells what the server had when all was answered; null: not all is. */
  answeredAt: Serial | null;
}

/** A close whose store was logged under a number, and what it is answered. */
export interface SyncClose {
  readonly seq: UpdateSeq;
  readonly rank: UpdateSeq;
  readonly fid: Fid;
}

/** A close that waits until the server was told of what it wrote; `message`: the one that tells of it, null: none has yet. */
export interface ToldClose {
  readonly seq: UpdateSeq;
  readonly fid: Fid;
  message: Serial | null;
}

/** What a file task is for: called with its outcome. */
export interface RunningTask {
  readonly serial: Serial;
  readonly purpose: TaskPurpose;
}

interface VersionOf {
  readonly name: string;
  readonly fid: Fid;
  readonly version: DataVersion;
  readonly digest: Digest;
}

export type TaskPurpose =
  /** The fetched contents of this key are being put away. */
  | ({ readonly for: 'fetched'; readonly key: string } & VersionOf)
  /** Taken to be offered again (rule I1); `change`: for which change of epoch, by its Hello. */
  | ({ readonly for: 'lost-copy'; readonly change: Serial } & VersionOf)
  /** The same, where the newest are not here. */
  | {
      readonly for: 'lost-any-copy';
      readonly change: Serial;
      readonly name: string;
      readonly fid: Fid;
    }
  | ({ readonly for: 'local-copy'; readonly key: string } & VersionOf)
  | { readonly for: 'check'; readonly name: string }
  /** The list of a file group. */
  | { readonly for: 'group'; readonly fid: Fid; readonly name: string }
  /** `opened` is the answer to the call; `from` a content held meanwhile. */
  | {
      readonly for: 'open';
      readonly call: number;
      readonly opened: { handle: Handle; content: string; attributes: Attributes };
      readonly from: string | null;
    }
  | {
      readonly for: 'close';
      readonly call: number;
      readonly handle: Handle;
      readonly changed: CloseChange;
    }
  /** A file goes to a caller; `name` is held meanwhile. */
  | {
      readonly for: 'given';
      readonly call: number;
      readonly name: string | null;
      readonly length: number;
    };

/** A directory being read page by page. */
export interface DirectoryLoad {
  /** Of the first page: what it is as of, and its request. null: not there yet. */
  first: { readonly at: CommitNumber; readonly request: Serial } | null;
  readonly entries: Map<string, Fid>;
}

/** What the feed knows of a volume. */
export interface VolumeState {
  row: VolumeRow;
  /** The newest commit heard of. */
  head: CommitNumber;
  /** Where the front end is. */
  applied: CommitNumber;
  catchingUp: 'no' | 'wanted' | 'running';
  /** The snapshot being walked by the front end, from its first page on. */
  walk: {
    readonly at: CommitNumber;
    readonly directories: Map<Fid, { version: DataVersion; readonly entries: Map<string, Fid> }>;
  } | null;
  blocksAsked: boolean;
  /** The blocks as they were when this run began: of their numbers, those that are used are of vnodes that runs before it made. */
  madeBefore: readonly VnodeBlock[];
  /** The server did not name it in the last Hello: this device may not look at it now. It is as if the server were away. */
  isShut: boolean;
}

export class ClientState {
  readonly config: ClientConfig;
  readonly out = new Outbox();
  readonly attributes = new AttributeCache(this.out);
  readonly names = new NameCache(this.out);
  readonly files = new FileCache(this.out);
  readonly pins = new Pins(this.out);
  readonly notes = new CallNotes(this.out);
  /** How much the cache may take (cache/tend-cache.ts). */
  cacheSettings: CacheSettings = DEFAULT_CACHE;
  /** What was free when somebody looked last, and what the cache had then, together; null: nobody has looked. */
  diskRoom: DiskRoom | null = null;
  /** Files that the front end shows without their contents. */
  readonly notKept = new Set<Fid>();
  readonly promises = new CallbackPromises();
  readonly answerOrder = new AnswerOrder<ReplyEvent>();
  readonly log = new UpdateLog(this.out);
  readonly metadataQueue = new ReadyQueue(this.log);
  readonly dataQueue = new ReadyQueue(this.log);
  /** Of those in the data queue, small files that are new: they may go before large ones (log/newcomers.ts). */
  readonly newcomers = new ReadyQueue(this.log);
  readonly allowance = new Allowance();
  /** Something pending is no more, or there is a new adjustment. */
  readonly woken = new Set<VolumeId>();
  readonly adjustments = new AdjustmentList(this.out, this.woken);
  readonly conflicts = new ConflictList(this.out);
  readonly sharedFiles = new SharedFiles();
  /** What users say of that; `ordersChanged`: what is queued has to be sorted by it. */
  readonly orders = new KnownOrders();
  ordersChanged = false;
  readonly behind = new BehindVnodes();
  readonly prefetch = new PrefetchState();
  readonly waiting = new WaitingCalls();
  readonly delays = new Delays();
  readonly session: Session;
  readonly networks: Networks;
  readonly requests: Requests;
  readonly tasks = new Map<Serial, RunningTask>();
  /** Contents that are being looked at, by name. */
  readonly checking = new Set<string>();
  /** Those of them that were not what they should be. */
  readonly damaged = new Set<string>();
  readonly volumes = new Map<VolumeId, VolumeState>();
  readonly handles = new Map<Handle, OpenHandle>();
  readonly fetches = new FetchList();
  readonly recent = new RecentFiles();
  readonly loads = new Map<Fid, DirectoryLoad>();
  /** Vnodes to ask about at the end of this step, and those being asked about. */
  readonly toValidate = new Set<Fid>();
  readonly validating = new Set<Fid>();
  readonly meta = new Map<string, MetaValue>();
  readonly aliases = new Map<Fid, AliasRow>();
  /** Contents of committed stores that the front end has not shown yet. */
  unshown: Array<{ volume: VolumeId; commit: CommitNumber; content: string }> = [];
  /** The server has begun a new epoch, and its state is being read (recovery/epoch-change.ts). */
  epochChange: EpochChange | null = null;
  /** It is done: the answer to our Hello counts now. */
  epochChanged: { readonly request: Serial; readonly reply: ReplyOf<'Hello'> } | null = null;
  readonly quota = new QuotaState();
  /** Vnodes that something blocked is about, and of which the base has learned (recovery/given-by-others.ts). */
  readonly blockedOn = new Set<Fid>();
  /** Updates that were on their way when a refusal renumbered them: their request, and the lowest number they name (W4). */
  readonly ghosts = new Map<UpdateSeq, UpdateSeq>();
  readonly flushes = new Map<number, RunningFlush>();
  /** The youngest GetTime that was answered. */
  lastTime: Serial = 0;
  wasAway = false;
  /** Refusals that wait for a fid. */
  readonly unresolved = new Map<
    UpdateSeq,
    { readonly refusal: Refusal; readonly existing: VnodeStatus | null }
  >();
  /** How what is logged is sent (shared/model/writeback.ts), and the stores that wait for their delay. */
  writeback: WritebackSettings = DEFAULT_WRITEBACK;
  /** How others are kept from reading what is old (shared/model/consistency.ts). */
  consistency: ConsistencySettings = DEFAULT_CONSISTENCY;
  readonly delayed = new Set<UpdateSeq>();
  /** What a person took out of the queue; some of it may be gone by now. */
  readonly aside = new Set<UpdateSeq>();
  /** Closes that wait until what they wrote is committed, and what a call is told that waits for the queue in vain. */
  readonly syncCloses = new Map<number, SyncClose>();
  readonly toldCloses = new Map<number, ToldClose>();
  readonly waitsForQueue = new Map<
    number,
    { readonly code: ErrorCode; readonly message: string }
  >();
  /** The highest store that was perhaps sent and got another number: the server marks its file until the low water passes it. */
  marked = 0;
  now: Now;
  /** Grows with each step: what was computed of the state holds until it is another one. */
  edition = 0;
  /** Something that a person sees has changed. */
  changed = true;
  paused = false;
  /** The server knows of what this protocol says of sharing beyond marks: what is overtaken (rule S5), and what is to be had that is newer. */
  hearsSharing = false;
  /** The run of the daemon before this one, where it is known to have ended (run.ts). */
  endedRun: string | null = null;
  /** When the server gave a sign of life, and when it was asked for one since (peer-liveness.ts); null: it was not. */
  readonly silence: { heard: Now['at']; asked: Now['at'] | null };
  readonly rates = {
    metadata: new RateEstimate(RATE_MEMORY, RATE_LEAST),
    data: new RateEstimate(RATE_MEMORY, RATE_LEAST),
  };
  readonly storeWindow = new StoreWindow();
  batchesInFlight = 0;
  storesInFlight = 0;
  storeBytesInFlight = 0;
  link = {
    rttMs: null as number | null,
    baseRttMs: null as number | null,
    sentBytes: 0,
    receivedBytes: 0,
    bulkBytesPerSecond: null as number | null,
  };
  #lastHandle = 0;

  constructor(config: ClientConfig, now: Now) {
    this.config = config;
    this.log.name = config.updateName ?? null;
    this.now = now;
    this.requests = new Requests(this.out, this.promises, now.at);
    this.silence = { heard: now.at, asked: null };
    this.session = new Session(now.at);
    this.networks = new Networks(this.out, now.at, config.watchesNetwork !== true);
  }

  get leaseMs(): Duration {
    return (this.meta.get('lease-ms') ?? 30_000) as Duration;
  }

  /** What the server knows of updates that are not on their way. */
  get hidden(): HiddenUpdates {
    return this.log.hidden;
  }

  nextSerial(): Serial {
    return this.requests.nextSerial();
  }

  nextHandle(): Handle {
    this.#lastHandle += 1;
    return this.#lastHandle;
  }

  setMeta(key: string, value: MetaValue): void {
    this.meta.set(key, value);
    this.out.put('meta', key, value);
  }

  nameOf(volume: VolumeId): string | undefined {
    return this.volumes.get(volume)?.row.info.name;
  }

  rightsIn(volume: VolumeId): Rights | null {
    const known = this.volumes.get(volume);
    return known === undefined || known.isShut ? null : known.row.info.rights;
  }

  /** Whether the server says nothing about this vnode, since nothing in its volume may be seen. */
  isShut(fid: Fid): boolean {
    return this.volumes.get(volumeOf(fid))?.isShut ?? false;
  }

  /** A promise makes what is cached of a vnode the present one. */
  isPromised(fid: Fid): boolean {
    return this.promises.usable(fid) && !this.attributes.lacksOthers(fid);
  }

  isAway(): boolean {
    return this.session.isAway(this.now.at);
  }

  send(message: AnyRpc, priorityClass: PriorityClass, purpose: Purpose, about?: About): Serial {
    return this.requests.send(message, priorityClass, purpose, this.now.at, about);
  }

  runTask(work: FileTask, purpose: TaskPurpose): void {
    const serial = this.nextSerial();
    this.tasks.set(serial, { serial, purpose });
    this.out.emit({ kind: 'file', task: serial, work });
  }

  answer(call: number, value: unknown, file: string | null = null): void {
    this.ended(call);
    this.out.emit({ kind: 'answer', call, value, ...(file === null ? {} : { file }) });
  }

  refuse(call: number, code: ErrorCode, message: string): void {
    this.ended(call);
    this.out.emit({ kind: 'refuse', call, code, message });
  }

  /** Nobody waits for the call any more. */
  ended(call: number): void {
    this.waiting.end(call);
    this.flushes.delete(call);
    this.prefetch.noted.delete(call);
    this.syncCloses.delete(call);
    this.toldCloses.delete(call);
    this.waitsForQueue.delete(call);
  }

  saveVolume(volume: VolumeState): void {
    this.out.put('volume', volume.row.info.id, volume.row);
  }
}
