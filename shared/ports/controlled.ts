/**
 * What the control endpoint needs of a running daemon. The endpoint validates arguments; this side may throw GodwitError.
 */
import type { CachePreview, CacheReport, CacheUse } from '../control/cache.ts';
import type { DaemonDiskUse } from '../control/disk.ts';
import type {
  FetchReport,
  PathQueue,
  QueueRequest,
  QueueOrder,
  QueueOutcome,
  QueueReport,
} from '../control/queue.ts';
import type { SuggestedGroup } from '../control/groups.ts';
import type {
  ActsReport,
  PastListing,
  RemovedReport,
  RestoreReport,
  SnapshotsReport,
  VersionsReport,
} from '../control/history.ts';
import type { NetworkList } from '../control/network.ts';
import type { LockOutcome, LocksReport, UnlockOutcome } from '../control/locks.ts';
import type { SharingOf, SharingReport } from '../control/sharing.ts';
import type { StatusSnapshot } from '../control/snapshot.ts';
import type { LimitsChange, TransferLimits } from '../model/transfer-limits.ts';
import type { ConsistencyChange, ConsistencySettings } from '../model/consistency.ts';
import type { Fid } from '../model/fid.ts';
import type { ExcludedHere, ExcludedReport } from '../control/exclusions.ts';
import type { CacheChange, CacheSettings, ContentsAct } from '../model/cache.ts';
import type { NetworkRule } from '../model/network.ts';
import type { LockMode } from '../model/file-lock.ts';
import type { SharingOrder } from '../model/sharing.ts';
import type { WallTime } from '../model/time.ts';
import type { WritebackChange, WritebackSettings } from '../model/writeback.ts';
import type { AccessKeeper } from './access-keeper.ts';
import type { FileSystem } from './file-system.ts';

export interface ControlledDaemon {
  readonly fileSystem: FileSystem;
  /**
   * The same for programs on this machine: a result survives the end of the daemon at once, and a loss of power some moments later.
   * `flush` is the same.
   */
  readonly programs: FileSystem;
  /** The one that was published last; `isNow`: as it is at this moment, which may cost some time. */
  snapshot(isNow?: boolean): StatusSnapshot;
  /** Resolves at the next change of the revision away from `revision`, or after `waitMs`. At most 4 revisions a second. */
  changed(revision: number, waitMs: number): Promise<void>;
  pause(): void;
  resume(): void;
  /** A page of what is queued, in the order in which it goes. Rejects `listing-gone`. */
  queue(asked: QueueRequest): Promise<QueueReport>;
  /** What is queued of a path, from the root of the volume. Rejects `no-such-volume`. */
  queueAt(volume: string, path: readonly string[]): Promise<PathQueue>;
  /** What is being fetched: `most` entries of it. */
  fetches(most: number): FetchReport;
  /** Rejects `not-queued`, `no-such-volume`, `on-its-way`, `update-needed`. Resolves when it is durable. */
  orderQueue(order: QueueOrder): Promise<QueueOutcome>;
  /** Changes how queued updates are sent, durably, and gives what holds now. An empty change only asks. */
  writeback(change: WritebackChange): Promise<WritebackSettings>;
  /** The same of how others are kept from reading what is old. */
  consistency(change: ConsistencyChange): Promise<ConsistencySettings>;
  /** The sharing orders of users (rule S1), as far as known here; with `fid`, also what holds for that vnode. */
  sharing(fid: Fid | null): SharingReport;
  /** null takes back. Rejects `not-connected`, `no-right`, `not-committed`, `too-many-orders` ... Resolves when the server has it. */
  orderSharing(fid: Fid, order: SharingOrder | null): Promise<SharingOf>;
  /** Who may do what, and teams of people. */
  readonly access: AccessKeeper;
  /** User locks (rules K1 to K5). */
  readonly locks: LockKeeper;
  /** Changes how large the file cache may be and whether it looks ahead, durably, and gives what holds now. Rejects `usage`. */
  cacheSettings(change: CacheChange): Promise<CacheSettings>;
  /** Changes how fast contents may leave and come, durably and at once, and gives what holds now. */
  limits(change: LimitsChange): Promise<TransferLimits>;
  /** Files that were opened together more than once, the most frequent first. */
  suggestedGroups(): SuggestedGroup[];
  /** What a person wants to have here, and what not. */
  readonly cache: CacheKeeper;
  /** Nothing that is queued by now is delayed any longer. */
  hurry(): void;
  /** Where a path of a volume ends, across mount points: as far as it is known here, and to the second crossing of a volume at most (rule M2). */
  acrossMounts(place: VolumePath): VolumePath;
  /** Why a path of the folder is not synced (a rule ignores it, it can't be read); null: it is, or there is no such folder. */
  leftOut(volume: string, path: readonly string[]): Promise<string | null>;
  /** Looks for changes in the folder now. */
  scan(): Promise<void>;
  /** `flush --wait` (rule F4): scans, then waits; `now`: even if the network costs money. Rejects `timed-out`, `sync-blocked` or `removals-held`. */
  flush(timeoutMs: number | null, now?: boolean): Promise<void>;
  /** The removals that are held back are meant (rule W8), or not. Gives how many there were. */
  confirmRemovals(path?: readonly string[] | null): Promise<number>;
  rejectRemovals(path?: readonly string[] | null): Promise<number>;
  /** What the past of a volume has, and what of it is to come back. */
  readonly past: PastKeeper;
  /** This laptop is called so from now on. Rejects `usage`, `not-connected`, `server-too-old`, `device-name-taken`. Resolves when the server has it. */
  renameDevice(name: string): Promise<void>;
  networks(): NetworkList;
  /** Resolves when the rule is durable; null: there is to be none. Rejects `usage` or `not-found`. */
  ruleNetwork(network: string, change: Partial<NetworkRule> | null): Promise<void>;
  logLines(count: number): Promise<string[]>;
  diskUse(): Promise<DaemonDiskUse>;
  dismissConflict(id: number): void;
  /** Ends the daemon in good order, after the reply has gone out. */
  down(): void;
}

/** A path in a volume that is named. */
export interface VolumePath {
  readonly volume: string;
  readonly path: readonly string[];
}

/** Files that persons have locked. */
export interface LockKeeper {
  /** As far as known here. */
  report(): LocksReport;
  /** Rejects `locked`, `not-connected`, `server-too-old`, `no-right`, `not-committed` ... Resolves when the server has granted it. */
  lock(fid: Fid, mode: LockMode): Promise<LockOutcome>;
  /** Ends the lock of this laptop, or those of others. Rejects `not-locked`, and with `breaks` as above. */
  unlock(fid: Fid, breaks: boolean): Promise<UnlockOutcome>;
}

/** `volume` is the name of one, `path` names from its root. Rejects `no-such-volume`, `not-found`, `not-connected` ... */
export interface CacheKeeper {
  /** Of a folder: of all files in it. `pin` and `prefetch` resolve when the contents are here, as far as they can be. */
  act(act: ContentsAct, volume: string, path: readonly string[]): Promise<CacheReport>;
  /** What the cache has, how large it may be, and what is pinned. */
  use(): CacheUse;
  /** A folder is not to be on this disk; resolves when all of it has gone that may go now. Rejects `already-excluded`, `not-a-directory`, `usage` ... */
  exclude(volume: string, path: readonly string[]): Promise<ExcludedHere>;
  /** It is to be here again, and comes by and by. Rejects `not-excluded` ... */
  include(volume: string, path: readonly string[]): Promise<ExcludedHere>;
  /** Throws `usage` where this laptop keeps no folder. */
  excluded(): ExcludedReport;
  /** What would go if the settings were changed so; nothing is. Rejects `usage` as `cacheSettings` does. */
  preview(change: CacheChange): Promise<CachePreview>;
}

/** A time, or the name of a snapshot. */
export type PastTime = { readonly at: WallTime } | { readonly snapshot: string };

export interface RestoreOrder {
  readonly path: readonly string[];
  /** The number of a version, as `versions` shows it; null: see `at`. */
  readonly version: number | null;
  /** As it was then; null: the version before the present one, or the last one of what is gone. */
  readonly at: WallTime | null;
  /** As this snapshot of the volume shows it; `at` is null then. */
  readonly snapshot?: string;
  /** Where it goes; null: where it was. */
  readonly to: readonly string[] | null;
  /** What this device removed in a folder with those commits, both included; `version`, `at` and `to` are null. */
  readonly removed?: { readonly device: number; readonly from: number; readonly to: number };
}

/** How far back: so many things, all since a time, or one thing alone, by its number among the acts. */
export type UndoExtent =
  { readonly last: number } | { readonly since: WallTime } | { readonly act: number };

/**
 * `volume` is the name of one. All reject GodwitError: `no-such-volume`, `not-connected`, `server-too-old`, `not-found` ... What fails
 * for one file of several is in the report.
 */
export interface PastKeeper {
  /** `then`: only the one that the path showed then. Rejects `not-found` for a snapshot that there is not. */
  versions(volume: string, path: readonly string[], then?: PastTime): Promise<VersionsReport>;
  /** A folder, or a file alone, as it was then. Rejects as above. */
  list(volume: string, path: readonly string[], then: PastTime): Promise<PastListing>;
  /** The snapshots of a volume, the oldest first. */
  snapshots(volume: string): Promise<SnapshotsReport>;
  removed(volume: string, path: readonly string[]): Promise<RemovedReport>;
  restore(volume: string, order: RestoreOrder): Promise<RestoreReport>;
  /** `removals-held` if files are missing in the folder and no person has confirmed that. */
  undo(volume: string, extent: UndoExtent, dryRun: boolean): Promise<RestoreReport>;
  /** The last things of this device that `undo` takes back, the newest first. `removals-held` as above. */
  acts(volume: string, most: number): Promise<ActsReport>;
}
