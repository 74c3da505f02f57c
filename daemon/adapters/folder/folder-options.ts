/** What the folder is opened with, and what it then offers. */
import type { LocalCopy } from '../../../shared/ports/file-store.ts';
import type { FreeDiskSpace } from '../../../shared/model/cache.ts';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { Clock, Timers } from '../../../shared/ports/clock.ts';
import type { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Feed, ReplicaFrontEnd } from '../../../shared/ports/feed.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { MountAnswersParts } from './disk/mount-answers.ts';
import type { MountTable } from './disk/mount-table.ts';
import type { WatchBy } from './watch/watcher.ts';

export interface FolderOptions {
  readonly root: string;
  readonly volume: VolumeInfo;
  readonly dataDir: string;
  readonly deviceName: string;
  readonly fileSystem: FileSystem;
  readonly feed: Feed;
  readonly host: Host;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** `unsettled` or `status` says something else than before. */
  readonly onChange?: () => void;
  /** How much room the folder's disk has; left out: nobody looks. */
  readonly diskRoom?: () => FreeDiskSpace;
  /** How the folder is watched; left out: the better way of this system. */
  readonly watchBy?: WatchBy;
  /** What is mounted; left out: as this system says it. */
  readonly mounts?: MountTable;
  /** Who asks whether a mount answers; left out: a shell. */
  readonly askMount?: MountAnswersParts['ask'];
  readonly limits?: Partial<FolderLimits>;
}

export interface FolderFrontEnd extends ReplicaFrontEnd {
  /** What the folder is known by, wherever it is. */
  readonly token: string;
  status(): { errors: ErrorStatus[] };
  unlogged(): GodwitError | null;
  heldRemovals(): number;
  confirmRemovals(path?: readonly string[] | null): Promise<number>;
  rejectRemovals(path?: readonly string[] | null): Promise<number>;
  /** A verified private copy of a file that is in place with these contents; null: it is not. */
  copyOf(fid: Fid, version: DataVersion, digest: Digest): Promise<string | null>;
  /** The same, whatever its contents are. */
  anyCopyOf(fid: Fid): Promise<LocalCopy | null>;
}
