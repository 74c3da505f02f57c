/**
 * The feed port: how a front end that keeps a whole replica (the folder) follows a volume.
 *
 * The front end pulls, and keeps its own position durably, together with what it has put in place; so nothing is lost between the two by a crash of
 * either.
 *
 * Contract
 * 1. `snapshot` walks the whole volume as of one commit; `changes` then gives every commit after it, in order, our own included (rule P4).
 *    `history-gone` where the server does not know that commit (rule I1): the front end walks anew. All that take a `signal` wait while the server is
 *    away, and reject with the signal's reason when it is aborted.
 * 2. `obtain` gives the contents of exactly that version. The file is the caller's: it moves or removes it. `version-gone` where the server keeps it
 *    no more, `damaged-contents` where it does not match. Where the daemon has no folder, its cache keeps what it has: the caller's file is a copy.
 * 3. While an own update of a vnode or of an entry is queued, `pendingVnode` / `pendingEntry` is true. What the feed then says of it must be held
 *    back until it is not: the answer comes later in the feed, or as an adjustment. `blocked` tells where none comes by itself.
 * 4. An adjustment is what a conflict asks the front end to do to the disk. It is durable: it is offered, in order, until `adjusted`. `woken` is
 *    called when there is a new one, when something pending is no more, and when other contents are to be kept.
 * 5. The notes that were given with calls of the file-system port are there, in the order of their numbers, until they are `noted`, over restarts
 *    too.
 * 6. How much a front end keeps in full is decided by `contentsBound` and `isPinned`, and which folders it keeps by `excluded`, at the moment they
 *    are asked; what it does not keep it says with `keeps`, all of it anew in each run.
 */
import type { ExcludedHere } from '../control/exclusions.ts';
import type { CachePreview, FolderUse } from '../control/cache.ts';
import type { UnstoredStatus, WaitingStatus } from '../control/snapshot.ts';
import type { FreeDiskSpace } from '../model/cache.ts';
import type { ChangeSet, VolumeInfo } from '../model/change.ts';
import type { Fid, VolumeId } from '../model/fid.ts';
import type { Update } from '../model/update.ts';
import type { CommitNumber, DataVersion, Digest, VnodeStatus } from '../model/vnode.ts';
import type { Duration } from '../model/time.ts';
import type { GodwitError } from '../wire/error-codes.ts';
import type { Place } from './file-system.ts';

export interface SnapshotPage {
  readonly at: CommitNumber;
  readonly vnodes: ReadonlyArray<{
    readonly status: VnodeStatus;
    readonly names: readonly Place[];
  }>;
  readonly more: boolean;
}

/** A refused new name, as paths: the one that was given, and the one before it. */
export interface Renamed {
  readonly path: string;
  readonly copy: string;
  /** The server said that the vnode is gone. */
  readonly isGone: boolean;
}

/** What became of a vnode that got a name here and that others removed: what it was on the disk stays as something new, or nothing is left. */
export type Became = 'new' | 'gone';

export type ConflictRepair = { readonly id: number; readonly volume: VolumeId } & (
  | {
      /** The contents at `fid`'s names are the losing ones: they are now vnode `copy`, to be called `to`. The place itself is the server's. */
      readonly kind: 'copied';
      readonly fid: Fid;
      readonly copy: Fid;
      readonly to: Place;
      /** The version of `fid` that the losing contents were made over: those of the copy are counted from 1 instead. */
      readonly lost: DataVersion;
    }
  | {
      /** Our vnode `fid` could not have its name `from`; it is now called `to`. */
      readonly kind: 'renamed';
      readonly fid: Fid;
      readonly from: Place;
      readonly to: Place;
    }
  | {
      /** Our new vnode `fid` turned out to be the server's `into` (the same contents, or both directories). */
      readonly kind: 'merged';
      readonly fid: Fid;
      readonly into: Fid;
    }
  | {
      /** Our change of `fid` was refused: make its names, contents and attributes the server's again. */
      readonly kind: 'restored';
      readonly fid: Fid;
      /** The change gave it a name. Where others removed it, what has names of ours stays, as something new (C3). */
      readonly renamed?: Renamed;
    }
);

/** A note of a front end (file-system port, contract 10), and what its call was answered. */
export interface KeptNote {
  readonly id: number;
  readonly text: string;
  /** The vnode as the front end knows it: of a removal or rename, the one that it named. */
  readonly fid: Fid;
  /** 0 if the call had no contents. */
  readonly version: DataVersion;
}

export interface Feed {
  snapshot(
    volume: VolumeId,
    position: { at: CommitNumber; after: Fid } | null,
    signal: AbortSignal,
  ): Promise<SnapshotPage>;
  /** At least one commit. */
  changes(volume: VolumeId, since: CommitNumber, signal: AbortSignal): Promise<ChangeSet[]>;
  obtain(
    fid: Fid,
    version: DataVersion,
    digest: Digest,
    signal: AbortSignal,
  ): Promise<{ path: string; length: number }>;
  /** The present server status of a vnode, for a `restored` one; null: gone. */
  present(fid: Fid, signal: AbortSignal): Promise<VnodeStatus | null>;
  pendingVnode(fid: Fid): boolean;
  /**
   * Own updates of a vnode that a person took out of the queue, or that the server refuses or has no room for; null: there are none, or others
   * of it are queued, whose answer comes.
   */
  blocked(fid: Fid): readonly Update[] | null;
  /** A later status of it is known here already, an answer to our own update among them: the feed is about to tell that. */
  isOutdated(status: VnodeStatus): boolean;
  /** A file that an earlier run of this daemon made, without contents, and nothing of it is queued: no store will follow. */
  isUnfinished(fid: Fid): boolean;
  pendingEntry(dir: Fid, name: string): boolean;
  adjustments(volume: VolumeId): readonly ConflictRepair[];
  /** `became` of one with `renamed` whose vnode is gone; left out: it is there, or the front end has no disk to look at. */
  adjusted(id: number, became?: Became): Promise<void>;
  /** Those of calls about this volume. */
  notes(volume: VolumeId): readonly KeptNote[];
  /** The front end has what they say in records of its own, durably. */
  noted(ids: readonly number[]): Promise<void>;
  /** Where the front end is; "everything known to the server is here" is judged by it. */
  applied(volume: VolumeId, commit: CommitNumber): void;
  /**
   * Bytes of contents that the front end may have in place when it has `bytes` of them and its disk this room; null: all that there is,
   * there is no bound.
   */
  contentsBound(bytes: number, room: FreeDiskSpace | null): number | null;
  /** A person wants its contents here always, or those of a folder that it is in. */
  isPinned(fid: Fid): boolean;
  /** Folders of the volume that a person does not want on this disk (rule X1), wherever they are. */
  excluded(volume: VolumeId): readonly Fid[];
  /** A person is still to say what becomes of it (rule C3). */
  isConflicting(fid: Fid): boolean;
  /** The contents of a vnode are in place, or (false) are not kept though its version is shown. */
  keeps(fid: Fid, isHere: boolean): void;
  /** Until what it gives is called. */
  onWoken(woken: () => void): () => void;
}

/** What a front end that opens files of the cache may do without asking each time. */
export interface PresentContents {
  /** So long from now the contents of this version are the present ones for certain, unless that is broken before; 0: it is not known. */
  presentFor(fid: Fid, version: DataVersion): Duration;
  /** Called when nothing holds any more of what `presentFor` gave, before others may change it. Until what it gives is called. */
  onBroken(broken: () => void): () => void;
}

/** Which volumes there are for a front end that keeps those that are mounted, too. */
export interface VolumesSeen {
  /** Those that this device may see now, as far as it has heard. */
  volumesSeen(): readonly VolumeInfo[];
  /** What a volume was called when it was seen last; null: it is unknown. */
  volumeName(volume: VolumeId): string | null;
  /** The server has said anew which there are. Until what it gives is called. */
  onVolumes(heard: () => void): () => void;
  /** The volume is not kept in the folder any more: nothing waits for its commits, and no conflict in it for the folder. */
  unfollowed(volume: VolumeId): void;
  /** What this mount point shows is kept in the folder, and something was found there: what was refused there before may be needless now. */
  shows(at: Fid): void;
}

/** The outcome: `bytes` of contents fetched or removed; `kept`: why nothing was done. */
export interface KeptOutcome {
  readonly kind: 'done' | 'unchanged' | 'kept';
  readonly bytes: number;
  readonly kept: string | null;
}

/** The bound on contents in place, of a folder that has so many bytes of them, on a disk with that room; null: there is none. */
export type BoundOf = (bytes: number, room: FreeDiskSpace | null) => number | null;

export interface KeptContents {
  /** What is in place now, and what is not. */
  use(): FolderUse;
  /** What would give way to such a bound. */
  preview(boundOf: BoundOf): Promise<CachePreview>;
  /** Replaces contents by a placeholder. Contents that the server lacks are never removed. */
  evict(fid: Fid): Promise<KeptOutcome>;
  /** Resolves when the contents are in place. Rejects as `Feed.obtain` does, and `disk-full`. */
  fill(fid: Fid): Promise<KeptOutcome>;
}

/** What a caller wants if something can't be put in place: to go on waiting, or an error with the reason. */
export type WaitPolicy = 'waits' | 'says';

/** What the daemon asks of what keeps a volume that is mounted in the folder. */
export type MountedFrontEnd = Pick<ReplicaFrontEnd, 'reached' | 'leftOut'>;

/** What the daemon asks of a front end that keeps a replica. */
export interface ReplicaFrontEnd {
  /** The one that it follows; commits have numbers of their own in each. */
  readonly volume: VolumeId;
  /** What keeps a volume that is mounted in the folder; null, or left out: nothing does. */
  of?(volume: VolumeId): MountedFrontEnd | null;
  /** Volumes that are mounted in the folder and kept there, with their paths below its root; left out: none can be. */
  mounted?(): ReadonlyArray<{ readonly volume: VolumeId; readonly path: readonly string[] }>;
  /** Looks at the whole folder and logs every change found in it; resolves when that is done (rule F4). */
  scan(): Promise<void>;
  /** Paths seen to change and not yet logged, and commits not yet in place. */
  unsettled(): { paths: number; commits: number };
  /** The same, each with its reason, as many as are worth telling. */
  waiting(): WaitingStatus[];
  /**
   * Resolves when the folder shows at least this commit, as far as nothing held back by own updates is concerned. What can't be put in place
   * (something is in its way, a disk is full) is waited for, or (`says`) tried once more: then this rejects with its name and the reason.
   */
  reached(commit: CommitNumber, how?: WaitPolicy): Promise<void>;
  /** Why what is at this path here is not synced, or what is to be there is not in place; null or left out: it is, or nothing is known. */
  leftOut?(path: readonly string[]): string | null;
  /** Files that it can't show, since their contents have not reached the server; null or left out: there are none. */
  unstored?(): UnstoredStatus | null;
  /** Why something that it found could not be logged, where it has tried again in vain; null or left out: all could be. */
  unlogged?(): GodwitError | null;
  /** Folders that are not kept on this disk, in no order; left out: it keeps no folder. */
  excluded?(): readonly ExcludedHere[];
  /** Resolves when all that may go from the disk, or come to it without contents that are to be fetched, has. */
  looked?(): Promise<void>;
  /** Removals that are held back until a person confirms them (rule W8); absent: 0. */
  heldRemovals?(): number;
  /** What is held back is meant: it is removed everywhere. Gives how much that was. */
  confirmRemovals?(path?: readonly string[] | null): Promise<number>;
  /** What is held back is not meant: it is put in place again. Gives how much that was. */
  rejectRemovals?(path?: readonly string[] | null): Promise<number>;
  /**
   * All that is in a folder (a path below the root of the whole) goes into the volume that is mounted beside it. Resolves when that is done on the disk
   * and logged; asked again, it goes on where it was interrupted. With null it is only looked whether that can be. Rejects `not-found`, `not-empty`, `exists`, `not-a-directory` and what the disk says.
   */
  handOver?(path: readonly string[], volume: VolumeId | null): Promise<void>;
  /** What a person asks of the contents that are in place; left out: it keeps all of them. */
  readonly contents?: KeptContents;
  close(): Promise<void>;
}
