import type { Brand } from './brand.ts';
import type { Fid, VolumeId } from './fid.ts';
import type { CommitNumber, DataVersion, Digest, Mtime, VnodeStatus, Xattr } from './vnode.ts';

/** The number of an update in its device's log, growing from 1, never reused (rule W4). */
export type UpdateSeq = Brand<number, 'UpdateSeq'>;

/** The number of an update in its device's log; numbers begin at 1. */
export const updateSeq = (value: number): UpdateSeq => value as UpdateSeq;

/**
 * What tells an update from another one with the same number, made by a copy of the data folder: 16 hex digits, drawn at random by
 * the program that logged it (rules I2, W4). Numbers are never reused within one data folder, so one name for each run of the
 * program is enough. An update that is changed before it is sent is another one, for a copy has the one before: its name is the next.
 */
export type UpdateNonce = string;
export const UPDATE_NAME_DIGITS = 16;

/** The nonce that follows this one; after the last one comes zero. */
export function nameAfter(name: UpdateNonce): UpdateNonce {
  const next = BigInt.asUintN(UPDATE_NAME_DIGITS * 4, BigInt(`0x${name}`) + 1n);
  return next.toString(16).padStart(UPDATE_NAME_DIGITS, '0');
}

/**
 * What is said of a name by who gives it (rule C4): it is that of a conflict copy, beside which this name was lost; null: it is no copy, whatever it is
 * called. Where it is left out nobody says: the program is an older one, or does not know.
 */
export type CopyMark = string | null;

/**
 * One entry of a client's log: a metadata update or a store.
 *
 * Each names what it was made against, and the server refuses it where that no longer holds:
 * `create`, `mkdir`, `symlink`, `link`: the name is free. `remove`, `rmdir`: the entry names `fid`, and a file's data
 * version is still `base` (rule C3). `rename`: the source entry names `fid`, the target entry names `over` (null: is
 * free). `store`: the data version is `base`. `setattr` has no base: the last one wins.
 * `at` becomes the modification time of each directory whose entries change. `copyOf` is about the name that is given.
 * `mounts`: the directory is a mount point of that volume; `unmounts`: it is one, and goes (rule M2).
 */
export type Update =
  | {
      readonly op: 'create';
      readonly fid: Fid;
      readonly dir: Fid;
      readonly name: string;
      readonly mode: number;
      readonly mtime: Mtime;
      readonly xattrs: readonly Xattr[];
      readonly at: Mtime;
      readonly copyOf?: CopyMark;
    }
  | {
      readonly op: 'mkdir';
      readonly fid: Fid;
      readonly dir: Fid;
      readonly name: string;
      readonly mode: number;
      readonly mtime: Mtime;
      readonly xattrs: readonly Xattr[];
      readonly at: Mtime;
      readonly mounts?: VolumeId;
      readonly copyOf?: CopyMark;
    }
  | {
      readonly op: 'symlink';
      readonly fid: Fid;
      readonly dir: Fid;
      readonly name: string;
      readonly target: string;
      readonly mtime: Mtime;
      readonly at: Mtime;
      readonly copyOf?: CopyMark;
    }
  | {
      readonly op: 'link';
      readonly fid: Fid;
      readonly dir: Fid;
      readonly name: string;
      readonly at: Mtime;
      readonly copyOf?: CopyMark;
    }
  | {
      readonly op: 'remove';
      readonly fid: Fid;
      readonly dir: Fid;
      readonly name: string;
      readonly base: DataVersion;
      readonly at: Mtime;
    }
  | {
      readonly op: 'rmdir';
      readonly fid: Fid;
      readonly dir: Fid;
      readonly name: string;
      readonly at: Mtime;
      readonly unmounts?: true;
    }
  | {
      readonly op: 'rename';
      readonly fid: Fid;
      readonly fromDir: Fid;
      readonly fromName: string;
      readonly toDir: Fid;
      readonly toName: string;
      readonly over: { readonly fid: Fid; readonly base: DataVersion } | null;
      readonly at: Mtime;
      readonly copyOf?: CopyMark;
    }
  | {
      readonly op: 'setattr';
      readonly fid: Fid;
      readonly mode: number | null;
      readonly mtime: Mtime | null;
      /** The whole new list, or null: as they are. */
      readonly xattrs: readonly Xattr[] | null;
    }
  | {
      readonly op: 'store';
      readonly fid: Fid;
      readonly base: DataVersion;
      readonly size: number;
      readonly digest: Digest;
      readonly mtime: Mtime;
    };

export type MetadataUpdate = Exclude<Update, { op: 'store' }>;
export type StoreUpdate = Extract<Update, { op: 'store' }>;

/** The data versions of a vnode before and after a commit (rule P5). 0 before: it is new. */
export interface Touched {
  readonly fid: Fid;
  readonly before: DataVersion;
  readonly after: DataVersion;
}

/** Why the server refuses an update for good. `dependency-failed`: something it depends on was refused. */
export type Refusal =
  | 'name-taken' // the name is in use; `existing` says by what
  | 'no-such-vnode' // the vnode, or its directory, is gone
  | 'no-such-entry' // the entry no longer names that fid
  | 'stale-base' // the data version is another one; `existing` is the present status
  | 'not-empty' // rmdir (or rename over) of a directory with entries
  | 'wrong-kind' // e.g. a store to a directory
  | 'cycle' // a rename into its own subtree (rule C2)
  | 'too-deep' // a directory would lie further below the root than directories may
  | 'fid-in-use' // the new fid exists already (`existing`), or is not of a block of this device
  | 'no-right' // the device may not write there, or not see what is to be mounted; nothing is made in a mount point
  | 'dependency-failed';

export type UpdateResult =
  | {
      readonly seq: UpdateSeq;
      readonly ok: true;
      readonly commit: CommitNumber;
      readonly touched: readonly Touched[];
    }
  | {
      readonly seq: UpdateSeq;
      readonly ok: false;
      readonly refusal: Refusal;
      readonly existing: VnodeStatus | null;
    };

/** The fids that an update names, in a defined order, without repetition. */
export function fidsOf(update: Update): Fid[] {
  switch (update.op) {
    case 'rename': {
      const all = [update.fid, update.fromDir, update.toDir];
      if (update.over !== null) all.push(update.over.fid);
      return [...new Set(all)];
    }
    case 'store':
    case 'setattr':
      return [update.fid];
    default:
      return [...new Set([update.fid, update.dir])];
  }
}
