/**
 * The past of a volume as its server tells it: versions of a file, names that a directory had, and what one device did.
 *
 * All of it is read from the versioned rows (stored.ts): a row that has ended is what there was before, and the commit that
 * ended it says who did that, and when.
 */
import type { DeviceId } from './change.ts';
import type { Fid } from './fid.ts';
import type { WallTime } from './time.ts';
import type { CommitNumber, VnodeStatus } from './vnode.ts';

/** A commit, as people ask for it: when it was made, and by which device. Device 0: the server itself. */
export interface Moment {
  readonly commit: CommitNumber;
  readonly when: WallTime;
  readonly device: DeviceId;
  /** Null: the server itself, or a device that is not known any more. */
  readonly deviceName: string | null;
}

/** One data version of a file that had contents. */
export interface PastVersion {
  /** The newest with this data version under which the file had a name. */
  readonly status: VnodeStatus;
  /** The commit that made it. */
  readonly since: Moment;
  /** Its contents are here still (rule D4). */
  readonly kept: boolean;
}

/** What one name of a directory stood for, from one commit to another. */
export interface PastName {
  readonly name: string;
  readonly fid: Fid;
  readonly since: Moment;
  /** The commit that freed the name or gave it to another vnode; null: it stands. */
  readonly until: Moment | null;
  /** As it was just before `until`; the present one where the name stands. */
  readonly status: VnodeStatus;
  /** The vnode has no name any more, anywhere. */
  readonly ended: boolean;
}

/** What a name stood for before a commit and after it; null: it was free. */
export interface NameChange {
  readonly dir: Fid;
  readonly name: string;
  readonly was: Fid | null;
  readonly now: Fid | null;
}

/** A vnode before a commit (null: it was made by it) and after it (`links` 0: it ended). */
export interface VnodeChange {
  readonly before: VnodeStatus | null;
  readonly after: VnodeStatus;
}

/** One commit of one device, with what was there before. */
export interface OwnCommit {
  readonly commit: CommitNumber;
  readonly when: WallTime;
  readonly names: readonly NameChange[];
  readonly vnodes: readonly VnodeChange[];
}

/** Pages of the above, newest first; but names in their order, and of one name the oldest first. */
export interface PastVersionsPage {
  readonly versions: readonly PastVersion[];
  readonly more: boolean;
}

export interface PastDirectoryPage {
  readonly entries: ReadonlyArray<{ readonly name: string; readonly status: VnodeStatus }>;
  readonly more: boolean;
}

export interface PastNamesPage {
  readonly names: readonly PastName[];
  readonly more: boolean;
}

export interface OwnCommitsPage {
  readonly commits: readonly OwnCommit[];
  readonly more: boolean;
}
