/** Records of the folder, and what of them has changed since it was saved last. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type {
  DataVersion,
  Digest,
  Mtime,
  VnodeKind,
  Xattr,
} from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { DiskStamp } from '../disk/disk-facts.ts';

export interface VnodeRecord {
  readonly fid: Fid;
  readonly kind: VnodeKind;
  version: DataVersion;
  digest: Digest | null;
  size: number;
  mode: number;
  mtime: Mtime;
  target: string | null;
  xattrs: readonly Xattr[];
  /** Names of those that this disk does not take; left out: it has them all. */
  absent?: readonly string[] | undefined;
  /** The contents are not here: `disk` is of the placeholder that stands for the file. All else is the file's. */
  placeholder?: boolean;
  /** It came from another device, and nobody has written it here, or asked for it. Whether it was opened since tells its time of access. */
  unused?: boolean;
  /** The inode as last put or seen; null: it must be looked at anew. */
  disk: DiskStamp | null;
}

export interface EntryRow {
  readonly dir: Fid;
  readonly name: string;
  /** null: the row goes. */
  readonly fid: Fid | null;
  readonly own: boolean;
}

export interface RecordChanges {
  readonly vnodes: ReadonlyArray<{ readonly fid: Fid; readonly record: VnodeRecord | null }>;
  readonly entries: readonly EntryRow[];
  readonly freed: ReadonlyArray<{
    readonly place: Place;
    readonly fids: ReadonlyArray<{ readonly fid: Fid; readonly own: boolean }>;
  }>;
}
