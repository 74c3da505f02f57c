/** What the daemon answers to `versions`, `removed`, `restore` and `undo`: plain data, times in milliseconds since 1970. */

/** One version of what a path named. `number` is the commit that made it: no other version in the volume has it. */
export interface VersionRow {
  readonly number: number;
  readonly when: number;
  /** The device that made it; null: it is not known any more. */
  readonly by: string | null;
  readonly size: number;
  /** It is what the path shows now. */
  readonly present: boolean;
  /** Its contents are on the server still. */
  readonly kept: boolean;
}

export interface VersionsReport {
  readonly path: string;
  /** When the name was freed and by which device, where nothing has it now. */
  readonly removed: { readonly when: number; readonly by: string | null } | null;
  /** Newest first. */
  readonly versions: readonly VersionRow[];
  /** There are older ones, which are not in it. Left out: these are all. */
  readonly isCut?: boolean;
}

export interface RemovedRow {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly size: number;
  readonly when: number;
  readonly by: string | null;
}

export interface RemovedReport {
  readonly path: string;
  readonly removed: readonly RemovedRow[];
}

/** One name of a folder as it was at a time, or in a snapshot. */
export interface PastEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly size: number;
  readonly mode: number;
  /** When it was written: by its own clock in a snapshot, else by that of its commit. */
  readonly when: number;
  /** Its contents are on the server still; of anything but a file: true. */
  readonly kept: boolean;
}

export interface PastListing {
  readonly path: string;
  readonly entries: readonly PastEntry[];
}

export interface SnapshotRow {
  readonly name: string;
  readonly when: number;
  /** It shows the volume as of this commit. */
  readonly commit: number;
}

export interface SnapshotsReport {
  /** The oldest first. */
  readonly snapshots: readonly SnapshotRow[];
}

export type TakenBackAs =
  | 'made' // it was gone and is there again
  | 'contents' // it has its older contents again
  | 'moved' // it is called as before
  | 'linked' // it has that name again
  | 'mode' // it has its old mode again
  | 'given-up'; // what was changed here is laid aside, and it is as the server has it

export interface DoneRow {
  readonly path: string;
  readonly as: TakenBackAs;
  /** Where it went: `path`, or beside it where that was taken. */
  readonly to: string;
  /** Of what is given up: whether contents were laid aside. Left out by an older daemon. */
  readonly isLaidAside?: boolean;
}

export interface FailedRow {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Something that this device did and that can be taken back. Who undoes so many last things undoes so many of these. */
export interface ActRow {
  /** No other act of the volume has it. */
  readonly act: number;
  readonly when: number;
  readonly kind: 'removed' | 'renamed' | 'replaced' | 'wrote' | 'mode';
  readonly path: string;
  /** Of a rename: what it is called since. */
  readonly to: string | null;
  /** How many things it was about: those that went with their folder count. */
  readonly things: number;
}

export interface ActsReport {
  /** Newest first. */
  readonly acts: readonly ActRow[];
}

/** What became of it; with a dry run, what would. */
export interface RestoreReport {
  readonly done: readonly DoneRow[];
  readonly failed: readonly FailedRow[];
}
