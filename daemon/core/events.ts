/** What happens to the core: everything it knows of the world comes in as one of these. */
import type { QueueOrder } from '../../shared/control/queue.ts';
import type { Break } from '../../shared/model/callback-promise.ts';
import type { CacheChange, ContentsAct, FreeDiskSpace } from '../../shared/model/cache.ts';
import type { ConsistencyChange } from '../../shared/model/consistency.ts';
import type { LimitsChange } from '../../shared/model/transfer-limits.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { LockMode } from '../../shared/model/file-lock.ts';
import type { NetworkFacts, NetworkRule } from '../../shared/model/network.ts';
import type { SharingOrder } from '../../shared/model/sharing.ts';
import type { Instant, WallTime } from '../../shared/model/time.ts';
import type { CommitNumber, DataVersion, Digest, Mtime } from '../../shared/model/vnode.ts';
import type { WritebackChange } from '../../shared/model/writeback.ts';
import type {
  AttributeChange,
  CallNote,
  ChangeOptions,
  Handle,
  MakeOptions,
  OpenHow,
  Place,
  RemoveOptions,
  RenameOptions,
} from '../../shared/ports/file-system.ts';
import type { Became } from '../../shared/ports/feed.ts';
import type { AbortReason, CloseReason, ReceivedContent } from '../../shared/ports/transport.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { ACCESS_RPCS } from '../../shared/wire/access.ts';
import type { RequestOf } from '../../shared/wire/rpcs.ts';

/** When an event is handled: the monotonic clock orders, the wall is for people and names. */
export interface Now {
  readonly at: Instant;
  readonly wall: WallTime;
}

/** Numbers of requests, calls and file tasks: one series, so that "was sent after the call came" is a comparison. */
export type RequestId = number;

export interface CloseChange {
  readonly mtime?: Mtime;
  readonly digest?: Digest;
  readonly size?: number;
  readonly note?: CallNote;
}

type LinkMakeOptions = Omit<MakeOptions, 'mode' | 'xattrs'>;

/** A call of the file-system port. */
export type FileSystemCall =
  | {
      readonly op: 'lookup';
      readonly dir: Fid;
      readonly name: string;
      readonly crosses?: boolean;
      readonly onwards?: readonly string[];
    }
  | { readonly op: 'getattr'; readonly fid: Fid }
  | { readonly op: 'readdir'; readonly dir: Fid; readonly crosses?: boolean }
  | {
      readonly op: 'create' | 'create-open' | 'mkdir';
      readonly dir: Fid;
      readonly name: string;
      readonly options: MakeOptions;
    }
  | {
      readonly op: 'symlink';
      readonly dir: Fid;
      readonly name: string;
      readonly target: string;
      readonly options: LinkMakeOptions;
    }
  | {
      readonly op: 'link';
      readonly fid: Fid;
      readonly place: Place;
      readonly options: ChangeOptions;
    }
  | { readonly op: 'remove' | 'rmdir'; readonly place: Place; readonly options: RemoveOptions }
  | {
      readonly op: 'rename';
      readonly from: Place;
      readonly to: Place;
      readonly options: RenameOptions;
    }
  | { readonly op: 'setattr'; readonly fid: Fid; readonly change: AttributeChange }
  | { readonly op: 'open'; readonly fid: Fid; readonly how: OpenHow }
  | { readonly op: 'close'; readonly handle: Handle; readonly changed: CloseChange | null }
  | { readonly op: 'abandon'; readonly handle: Handle }
  | { readonly op: 'volumes' }
  | { readonly op: 'flush'; readonly volume: VolumeId; readonly timeoutMs: number | null };

/** A call of the feed port. */
export type FeedCall =
  | {
      readonly op: 'snapshot';
      readonly volume: VolumeId;
      readonly position: { readonly at: CommitNumber; readonly after: Fid } | null;
    }
  | { readonly op: 'changes'; readonly volume: VolumeId; readonly since: CommitNumber }
  | {
      readonly op: 'obtain';
      readonly fid: Fid;
      readonly version: DataVersion;
      readonly digest: Digest;
    }
  | { readonly op: 'present'; readonly fid: Fid }
  | { readonly op: 'adjusted'; readonly id: number; readonly became: Became | null }
  | { readonly op: 'noted'; readonly ids: readonly number[] };

/** A question about the past, as it is sent. */
export type PastQuestion = {
  [N in PastRpc]: { readonly rpc: N; readonly body: RequestOf<N> };
}[PastRpc];
export type PastRpc =
  'PastVersions' | 'PastNames' | 'OwnCommits' | 'NamedSnapshots' | 'PastDir' | AccessRpc;
/** Questions about access are asked in the same way. */
export type AccessRpc = keyof typeof ACCESS_RPCS;

/** A call of the history port. */
export interface HistoryCall {
  readonly op: 'past';
  readonly question: PastQuestion;
}

/** What a person asks of the queue, and how it is to be sent. */
export type QueueCall =
  | { readonly op: 'queue'; readonly order: QueueOrder }
  | { readonly op: 'writeback'; readonly change: WritebackChange }
  | { readonly op: 'consistency'; readonly change: ConsistencyChange };

/** Rules for a network; what is left out stays. null: the rule goes. Answered with the rule that is there now. */
export interface NetworkCall {
  readonly op: 'network-rule';
  readonly network: string;
  readonly change: Partial<NetworkRule> | null;
}

/** How fast contents may leave and come. */
export interface LimitsCall {
  readonly op: 'limits';
  readonly change: LimitsChange;
}

/** What a person says of sharing; null: takes it back. Answered with what holds then. */
export interface SharingCall {
  readonly op: 'sharing';
  readonly fid: Fid;
  readonly order: SharingOrder | null;
}

/** A person wants to have a file locked, or a lock to end; `breaks`: those of others. */
export type LockCall =
  | { readonly op: 'lock'; readonly fid: Fid; readonly mode: LockMode }
  | { readonly op: 'unlock'; readonly fid: Fid; readonly breaks: boolean };

/** What this laptop is to be called. */
export interface RenameDeviceCall {
  readonly op: 'rename-device';
  readonly name: string;
}

/** What a person asks of the file cache: of the contents of a vnode, or in general; and of a folder, whether it is on this disk. */
export type CacheCall =
  | { readonly op: ContentsAct; readonly fid: Fid }
  | { readonly op: 'exclude' | 'include'; readonly fid: Fid }
  | { readonly op: 'cache-settings'; readonly change: CacheChange };

export type Call =
  | FileSystemCall
  | FeedCall
  | HistoryCall
  | QueueCall
  | NetworkCall
  | LimitsCall
  | SharingCall
  | LockCall
  | CacheCall
  | RenameDeviceCall;

export type FileOutcome =
  | {
      readonly ok: true;
      readonly path: string | null;
      readonly digest: Digest | null;
      readonly length: number;
      /** Of what was taken, where any would do. */
      readonly version?: DataVersion;
      /** Of what was read; null: it is longer than it may be, or no text. */
      readonly text?: string | null;
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

export type RpcReply =
  | { readonly ok: true; readonly body: unknown; readonly afterBreak?: number }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly detail: string;
      readonly afterBreak?: number;
    };

export type ReplyEvent = Extract<Event, { kind: 'reply' }>;

export type Event =
  | { readonly kind: 'start' }
  /** The connection is there. `token` becomes this folder's next incarnation unless one is pending (rule I2). */
  | { readonly kind: 'connected'; readonly token: string }
  /** `jitter` in [0, 1) is for jitter. */
  | {
      readonly kind: 'closed';
      readonly reason: CloseReason;
      readonly detail: string;
      readonly jitter: number;
    }
  | {
      readonly kind: 'reply';
      readonly request: RequestId;
      readonly reply: RpcReply;
      readonly content: ReceivedContent | null;
      readonly jitter: number;
      /** Bytes of contents that moved for it, both ways; left out: none. */
      readonly moved?: number;
    }
  | {
      readonly kind: 'aborted';
      readonly request: RequestId;
      readonly reason: AbortReason;
      readonly jitter: number;
    }
  | {
      readonly kind: 'progress';
      readonly request: RequestId;
      readonly sentBytes: number;
      readonly receivedBytes: number;
    }
  | {
      readonly kind: 'statistics';
      readonly link: {
        readonly rttMs: number | null;
        readonly baseRttMs: number | null;
        readonly sentBytes: number;
        readonly receivedBytes: number;
        readonly bulkBytesPerSecond: number | null;
      };
    }
  | {
      readonly kind: 'breaks';
      readonly call: number;
      readonly items: readonly Break[];
      /** On this connection; left out: the server does not number them. */
      readonly number?: number;
    }
  /** Somebody waits for updates of ours. */
  | { readonly kind: 'pull'; readonly call: number; readonly fids: readonly Fid[] }
  /** The machine of the server has received our request; the transport reports this for GetTime only. */
  | { readonly kind: 'received' }
  /** `byProgram`: not the folder, and not the daemon itself. */
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly what: Call;
      readonly byProgram?: boolean;
    }
  | { readonly kind: 'cancel'; readonly call: number }
  | { readonly kind: 'file'; readonly task: RequestId; readonly outcome: FileOutcome }
  | { readonly kind: 'applied'; readonly volume: VolumeId; readonly commit: CommitNumber }
  | { readonly kind: 'unfollowed'; readonly volume: VolumeId }
  /** The folder keeps the volume that this mount point shows, and has found what is there. */
  | { readonly kind: 'shown'; readonly at: Fid }
  /** Nothing that is logged by now is to be delayed. */
  | { readonly kind: 'hurry' }
  /** A person wants everything moved now, even if the network costs money (`begins`), or no more (not `begins`). */
  | { readonly kind: 'spend'; readonly begins: boolean }
  /** The server is at another address from now on; the next connection goes there. */
  | { readonly kind: 'readdress' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** The machine is on this network; null: on none, or it is not known. */
  | { readonly kind: 'network'; readonly facts: NetworkFacts | null; readonly utcOffsetMs: number }
  /** Of the disk that the contents are on. */
  /** `parts`: bytes of it that contents have which came in part. */
  | { readonly kind: 'disk'; readonly room: FreeDiskSpace; readonly parts?: number }
  /** The front end has the contents of a vnode in place, or does not keep them. */
  | { readonly kind: 'keeps'; readonly fid: Fid; readonly isHere: boolean }
  /** The daemon ends in good order: what is only counted is made durable. */
  | { readonly kind: 'ending' }
  | { readonly kind: 'dismiss'; readonly conflict: number }
  /** Some time that `nextWake` named has come. */
  | { readonly kind: 'tick' };
