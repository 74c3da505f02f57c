/** What is in a folder of a volume, as `godwit ls -l` shows it: a part of it, for people. */
import type { Fid } from '../model/fid.ts';
import type { LockRow } from './locks.ts';
import type { SyncState } from '../ports/file-system.ts';

export interface FolderRow {
  readonly name: string;
  readonly fid: Fid;
  readonly kind: 'file' | 'directory' | 'symlink';
  /** Bytes of contents; of a file. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** The contents are here. */
  readonly cached: boolean;
  /** A person wants it here always, or a folder that it is in. */
  readonly pinned: boolean;
  readonly sync: SyncState;
  /** Another device has something newer of it, which has not got to the server. */
  readonly behind: boolean;
  /** Who has it locked; left out: nobody. */
  readonly lock?: Pick<LockRow, 'mode' | 'state' | 'isOwn' | 'device' | 'user' | 'since'>;
  /** It is a mount point: the name of the volume that it shows, or (null) why it shows nothing. Left out: it is none, or the daemon is older. */
  readonly mounted?: { readonly volume: string | null; readonly why: string | null };
}

/** `path`: names from the root of the volume. */
export interface FoundRow extends FolderRow {
  readonly path: readonly string[];
}

export interface FoundReport {
  readonly rows: readonly FoundRow[];
  /** There may be others: it has found enough, or has looked into enough folders. */
  readonly isCut: boolean;
}

export interface FolderReport {
  readonly fid: Fid;
  /** All that are in it; `rows` are those that were asked for, in the order of names. */
  readonly total: number;
  readonly from: number;
  readonly rows: readonly FolderRow[];
}
