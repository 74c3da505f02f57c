/** What the folder is opened with, and what it then offers. */
import type { LocalCopy } from '../../../shared/ports/file-store.ts';
import type { FreeDiskSpace } from '../../../shared/model/cache.ts';
import type { ExcludedHere } from '../../../shared/control/exclusions.ts';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { Clock, Timers } from '../../../shared/ports/clock.ts';
import type { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Feed, ReplicaFrontEnd } from '../../../shared/ports/feed.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { Random } from '../../../shared/ports/random.ts';
import type { Disk } from './disk/disk.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { MountAnswersParts } from './disk/mount-answers.ts';
import type { MountTable } from './disk/mount-table.ts';
import type { Hindrance } from './hindrance.ts';
import type { MountKeeper, MountPointHere, StandsFor } from './records/mount-points.ts';
import type { OpenedRecords } from './records/record-store.ts';
import type { WatchBy } from './watch/watcher.ts';
import type { LetOthersRun } from './yielder.ts';

/** Which folder, of which volume, and who carries what is done. */
export interface FolderSettings {
  readonly root: string;
  readonly volume: VolumeInfo;
  /** Where the records and copies for the daemon are; it is made where it is missing. */
  readonly dataDir: string;
  readonly deviceName: () => string;
  readonly fileSystem: FileSystem;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** `unsettled` or `status` says something else than before. */
  readonly onChange?: () => void;
  /** How much room the folder's disk has; left out: nobody looks. */
  readonly diskRoom?: () => FreeDiskSpace;
  /** How the folder is watched; left out: the better way of its disk. */
  readonly watchBy?: WatchBy;
  /** Changes with each start of the machine; left out or null: that can't be told. */
  readonly boot?: string | null;
  readonly limits?: Partial<FolderLimits>;
  /** The root is a mount point in another folder, which makes it and takes it away. */
  readonly mounted?: boolean;
  /** Who keeps the volumes that are mounted in the folder; left out: nobody does. */
  readonly keeper?: MountKeeper;
  /** The mount point that shows the volume is not kept on this disk, so that all of it leaves (rule X6); left out: it is. */
  readonly isExcluded?: () => boolean;
  /** Bytes of contents that count for the same bound and are not of this volume; left out: none. */
  readonly otherBytes?: () => number;
}

/** The world around a folder, besides its disk: that of this machine, or a simulated one. */
export interface FolderWorld {
  readonly random: Pick<Random, 'hex'>;
  readonly letOthersRun: LetOthersRun;
  /** What is mounted. */
  readonly mounts: MountTable;
  /** Who asks whether a mount answers. */
  readonly askMount: MountAnswersParts['ask'];
  /** Gives the records of the volume with this root, as they were saved last. Throws what opening a database does. */
  readonly openRecords: (root: Fid) => OpenedRecords;
}

/** The world of a folder in which volumes are mounted. */
export interface TreeWorld {
  /** The records of the volume with this root are not used again. Left out: those in its own data folder go. */
  readonly dropRecords?: (root: Fid) => void;
}

/** What is left out of the world is that of this machine: its randomness, its mounts, a shell that asks them, records in `dataDir`. */
export interface FolderOptions extends FolderSettings, Partial<FolderWorld>, TreeWorld {
  readonly disk: Disk;
}

export interface FolderFrontEnd extends ReplicaFrontEnd {
  /** Everything was looked at once: what the records say of names is what is on the disk, as far as the root is there. */
  readonly hasBegun: boolean;
  /** The root is not where it was, or another one is in its place. */
  readonly isAway: boolean;
  /** The mount points that are recorded. */
  mountPoints(): readonly MountPointHere[];
  /** What keeps a directory from becoming another volume with all that is in it; null: nothing. Rejects with what the disk says. */
  hindrance(path: readonly string[]): Promise<Hindrance | null>;
  /** This inode is in place in it, as far as its number proves that. */
  hasInode(inode: string): boolean;
  /** Whether a placeholder with this inode, which was that of a file in another volume, is in it; or what else has its mark. */
  standsFor(fid: Fid, inode: string): StandsFor;
  /** Something is missing in it that may be in a volume that was not open when it was looked for. */
  readonly awaitsOthers: boolean;
  /** Resolves when the watcher has told what has happened by now. */
  heard(): Promise<void>;
  /** Another volume is about to be kept at the mount point. Resolves when nothing is recorded beneath any more, and that is durable. */
  givesUp(mountPoint: Fid): Promise<void>;
  /** What waited for a mounted volume to leave may go. */
  lookAgain(): void;
  /** What is excluded in it, in no order. */
  excluded(): ExcludedHere[];
  /** The directory is excluded, or is in one that is, or others have moved it there. */
  isOut(dir: Fid): boolean;
  /** Nothing of the volume is in place, and nothing waits to be logged. */
  readonly isBare: boolean;
  /** What the folder is known by, wherever it is. */
  readonly token: string;
  status(): { errors: ErrorStatus[] };
  /** What was moved out of what is synced and lies in our directory still, by paths below the root. */
  aside(): readonly string[];
  unlogged(): GodwitError | null;
  heldRemovals(): number;
  confirmRemovals(path?: readonly string[] | null): Promise<number>;
  rejectRemovals(path?: readonly string[] | null): Promise<number>;
  /** A verified private copy of a file that is in place with these contents; null: it is not. */
  copyOf(fid: Fid, version: DataVersion, digest: Digest): Promise<string | null>;
  /** The same, whatever its contents are. */
  anyCopyOf(fid: Fid): Promise<LocalCopy | null>;
}
