/**
 * What the core of the server hears, and what it wants done. The runtime brings the one and carries out the other.
 *
 * Ids of connections and calls are the Link's.
 */
import type { Break } from '../../shared/model/callback-promise.ts';
import type {
  AnyRow,
  DeviceAccess,
  RowKey,
  RowWrite,
  StoredState,
  StoredVolumes,
} from '../../shared/model/stored.ts';
import type { DeviceId } from '../../shared/model/change.ts';
import type { AccessAnswer, AccessQuestion } from '../../shared/model/decide-access.ts';
import type { Fid, VolumeId } from '../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../shared/model/vnode.ts';
import type { Duration } from '../../shared/model/time.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { ACCESS_RPCS } from '../../shared/wire/access.ts';
import type { AnyRequest, ReplyOf, RpcName } from '../../shared/wire/rpcs.ts';

/** A connection, as the Link numbers it. */
export type ConnectionId = number;
/** A call, as the Link numbers it: unique over all connections. */
export type CallId = number;

/** Something that happens to the server. */
export type ServerEvent =
  | { readonly kind: 'connected'; readonly connection: ConnectionId; readonly fingerprint: string }
  /** `byPeer`: the other side ended it in good order, and uses nothing of what it was promised. */
  | {
      readonly kind: 'disconnected';
      readonly connection: ConnectionId;
      readonly byPeer: boolean;
    }
  | {
      readonly kind: 'request';
      readonly connection: ConnectionId;
      readonly call: CallId;
      readonly request: AnyRequest;
      /** Bytes of content that follow. */
      readonly contentLength: number;
      /** What its stream had before is here, as long as it says (rule D3). */
      readonly isBegun?: boolean;
    }
  /** The content of a request, or the delta of it, has arrived whole: a file that the core keeps or discards. */
  | {
      readonly kind: 'content';
      readonly call: CallId;
      readonly path: string;
      readonly length: number;
      readonly digest: string;
    }
  /** A delta was applied to its base: the file that came of it. */
  | {
      readonly kind: 'rebuilt';
      readonly call: CallId;
      readonly path: string;
      readonly length: number;
      readonly digest: string;
    }
  | { readonly kind: 'not-rebuilt'; readonly call: CallId; readonly code: ErrorCode }
  /** How many bytes are here of each stream of a `begun` effect, in its order. */
  | { readonly kind: 'begun'; readonly call: CallId; readonly lengths: readonly number[] }
  /** Whether a fetch that is waited for now was found under way. */
  | { readonly kind: 'raised'; readonly call: CallId; readonly raised: boolean }
  /** The content is in the content store, durably. */
  | { readonly kind: 'kept'; readonly call: CallId }
  | { readonly kind: 'not-kept'; readonly call: CallId; readonly code: ErrorCode }
  /** A call of a peer ended before its answer. `withdrawn`: the peer took it back, and won't come again. */
  | { readonly kind: 'aborted'; readonly call: CallId; readonly withdrawn: boolean }
  /** The answer to a load. */
  | { readonly kind: 'rows'; readonly ticket: number; readonly rows: readonly AnyRow[] }
  | { readonly kind: 'no-rows'; readonly ticket: number; readonly code: ErrorCode }
  /** Somebody waits for the group after this one: it is committed as soon as may be. `held`: the load that waits for the next one. */
  | { readonly kind: 'full'; readonly group: number; readonly held?: number }
  /** A load that was begun is of a device that adds little: no group closes before its rows because it is full. */
  | { readonly kind: 'small-load'; readonly ticket: number }
  /** A load that was begun waits for the turn of its device, or does so no more: no group waits for it meanwhile. */
  | { readonly kind: 'load-rests'; readonly ticket: number; readonly isResting: boolean }
  | { readonly kind: 'committed'; readonly group: number }
  | { readonly kind: 'failed'; readonly group: number; readonly code: ErrorCode }
  /** `hidden`: what the device has hidden of what it had for its own. */
  | { readonly kind: 'acknowledged'; readonly message: number; readonly hidden?: HiddenMarks }
  /** A break was not acknowledged and will not be: its call was aborted, or answered with nonsense. */
  | { readonly kind: 'unacknowledged'; readonly message: number }
  /** A laptop has answered a pull; of `held` nothing is coming. Also where the pull ended without an answer. */
  | { readonly kind: 'pulled'; readonly pull: number; readonly held: readonly Fid[] }
  /** Rights as they are now, after an administrator changed something. */
  | {
      readonly kind: 'access';
      readonly devices: readonly DeviceAccess[];
      /** How many doubts there were when they were asked for; left out: nobody waits for them. */
      readonly doubts?: number;
    }
  /** What became of an `ask-access` effect. */
  | ({
      readonly kind: 'access-answer';
      readonly answer: AccessAnswer | { readonly answer: 'none'; readonly code: ErrorCode };
    } & AskedAccess)
  /** What is on the disk of uploads that were cut off, as it is now: nobody goes on with it just now. */
  | {
      readonly kind: 'begun-parts';
      readonly begun: ReadonlyArray<{ readonly volume: VolumeId; readonly bytes: number }>;
    }
  /** Volumes, their names and quotas as they are now, likewise. */
  | ({ readonly kind: 'volumes' } & StoredVolumes)
  /** A deadline that the core asked for may have passed. */
  | { readonly kind: 'woken' }
  | { readonly kind: 'close' };

/** A question about access, and the call that brought it. */
export interface AskedAccess {
  readonly call: CallId;
  readonly rpc: keyof typeof ACCESS_RPCS;
  readonly question: AccessQuestion;
}

/** A change that is durable, and waits until it is in force. */
export interface AccessReply {
  readonly call: CallId;
  readonly reply:
    | {
        readonly rpc: 'SetAccess' | 'ChangeTeam' | 'LeaveVolume';
        readonly body: Record<string, never>;
      }
    | { readonly rpc: 'MakeVolume'; readonly body: ReplyOf<'MakeVolume'> };
  /** It is in force when rights were looked at for this doubt. */
  readonly doubts: number;
}

/** What a device has hidden of what was its own, as it acknowledges the break of that (rule S1). */
export type HiddenMarks = NonNullable<ReplyOf<'BreakCallback'>['told']>;

/** Contents that are kept. */
export interface KnownContent {
  readonly digest: Digest;
  readonly length: number;
}

/** A content to be sent with a reply; null where there is none, or an empty one. */
export interface ReplyContent extends KnownContent {
  /** What the requester has of the content, so that the rest is enough; left out: it gets the whole content, without a word on how it is sent. */
  readonly held?: HeldContent;
}

/** What the requester has of a content already (rules D2, D3). */
export interface HeldContent {
  /** An older version of the same file. */
  readonly base: (KnownContent & { readonly version: DataVersion }) | null;
  /** Streams begun before. */
  readonly begun: ReadonlyArray<{ readonly digest: string; readonly length: number }>;
}

/** A reply with its body, as a discriminated union over `rpc`. */
export type AnyReply = {
  [N in RpcName]: { readonly rpc: N; readonly body: ReplyOf<N> };
}[RpcName];

/** Something to be done, in the order of the effects of a step. */
export type Effect =
  | {
      readonly kind: 'load';
      readonly ticket: number;
      readonly keys: readonly RowKey[];
      /** The device that it is for; NOBODY: not known yet. */
      readonly whose: DeviceId;
      /** What it brings is staged, so it makes a group longer. */
      readonly adds: boolean;
    }
  | { readonly kind: 'commit'; readonly group: number; readonly writes: readonly RowWrite[] }
  | {
      readonly kind: 'reply';
      readonly call: CallId;
      readonly reply: AnyReply;
      readonly content: ReplyContent | null;
      /** The number of the last break sent to it before; left out: none, or it does not want to know. */
      readonly afterBreak?: number;
    }
  | {
      readonly kind: 'fail';
      readonly call: CallId;
      readonly code: ErrorCode;
      readonly detail: string;
      readonly afterBreak?: number;
    }
  | {
      readonly kind: 'break';
      readonly message: number;
      readonly connection: ConnectionId;
      /** On its connection; left out as above. */
      readonly number?: number;
      readonly items: readonly Break[];
    }
  /** Asks a laptop to hurry: somebody waits for what it has hidden of these. */
  | {
      readonly kind: 'pull';
      readonly pull: number;
      readonly connection: ConnectionId;
      readonly fids: readonly Fid[];
    }
  | { readonly kind: 'keep'; readonly call: CallId; readonly path: string; readonly digest: Digest }
  /** Makes contents of a base and the delta at `path`, which is the runtime's from then on. */
  | {
      readonly kind: 'rebuild';
      readonly call: CallId;
      readonly path: string;
      /** What the delta itself is. */
      readonly delta: KnownContent;
      readonly base: KnownContent;
      /** What is to come of it: no more than that is made. */
      readonly wanted: KnownContent;
    }
  /** Asks how much is here of these streams of this device. */
  | {
      readonly kind: 'begun';
      readonly call: CallId;
      readonly connection: ConnectionId;
      readonly fingerprint: string;
      readonly streams: readonly Digest[];
    }
  /** A fetch of this on this connection is waited for now. */
  | {
      readonly kind: 'raise';
      readonly call: CallId;
      readonly connection: ConnectionId;
      readonly fid: Fid;
      readonly version: DataVersion | null;
    }
  /** A person asks about access lists or teams, or changes them; `user` is the person's number. */
  | ({ readonly kind: 'ask-access'; readonly user: number } & AskedAccess)
  | { readonly kind: 'discard'; readonly path: string }
  /** Begun parts of so many bytes are in the way of what a volume may take: they go. */
  | { readonly kind: 'give-way'; readonly volume: VolumeId; readonly bytes: number }
  /** Its peer is known: the limits for strangers end. */
  | { readonly kind: 'admit'; readonly connection: ConnectionId }
  /** Contents leave no faster on it, bytes a second; null: as fast as it goes. */
  | {
      readonly kind: 'limit';
      readonly connection: ConnectionId;
      readonly bytesPerSecond: number | null;
    }
  | { readonly kind: 'close'; readonly connection: ConnectionId }
  | {
      readonly kind: 'note';
      readonly level: 'info' | 'warn' | 'error';
      readonly message: string;
      readonly fields: Readonly<Record<string, string | number | null>>;
    }
  /** The server has closed: every effect before this one ends it in good order. */
  | { readonly kind: 'closed' };

/** What a server begins with. */
export interface ServerStart {
  readonly stored: StoredState;
  /** Another one after each start: 32 hex digits. */
  readonly boot: string;
  readonly software: string;
  /** Left out: as `limits.ts` has it. */
  readonly sharing?: SharingSettings;
  /** Of one message, decided at one go; left out: UPDATES_AT_ONCE. */
  readonly updatesAtOnce?: number;
  /** Promises of one device, and of all (callback/reclaim.ts); left out: as `limits.ts` has it. */
  readonly mostPromises?: { readonly device: number; readonly all: number };
}

/** Settings of the share monitor, and of readers of what is hidden. */
export interface SharingSettings {
  /** Two devices that use a file within this time share it. */
  readonly period: Duration;
  /** How long a read waits for an update that another device has hidden. */
  readonly readerWait: Duration;
}
