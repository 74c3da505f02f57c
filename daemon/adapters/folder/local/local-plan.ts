/** What the planner of local changes works on and answers with. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { VnodeKind } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { DiskFacts } from '../disk/disk-facts.ts';
import type { Ref, RefPlace } from '../records/order-names.ts';

/** A name on the disk. `children` null: it is no directory, or was not looked into. In the order of names. */
export interface DiskNode {
  readonly name: string;
  readonly facts: DiskFacts;
  readonly children: readonly DiskNode[] | null;
  /** A directory with nothing in it but what is ignored: left by a removal elsewhere, or not of interest yet. */
  readonly isHollow: boolean;
  /** A directory that lies on another mount than the one it is in. */
  readonly isMount?: boolean;
  /** Names in it that are there, but that nothing can be told of. */
  readonly unclear?: readonly string[];
  /** A placeholder of this vnode stands for it: `name` is the vnode's, `facts` are those recorded. */
  readonly placeholder?: Fid;
}

/** What was found in one directory that has a record. */
export interface Look {
  readonly dir: Fid;
  /** Its path on the disk, below the root. */
  readonly path: readonly string[];
  readonly facts: DiskFacts | null;
  /** True: every name there is was looked at; else only those in `nodes` and `missing`. */
  readonly complete: boolean;
  readonly nodes: readonly DiskNode[];
  readonly missing: readonly string[];
  /** Names that are there, but that nothing can be told of. */
  readonly unclear?: readonly string[];
}

interface OnDisk {
  /** Components of the path on the disk. */
  readonly path: readonly string[];
  readonly facts: DiskFacts;
}

export type LocalOp =
  | ({ readonly op: 'mkdir' | 'create' | 'symlink'; readonly ref: Ref } & RefPlace & OnDisk)
  | ({ readonly op: 'link'; readonly ref: Ref } & RefPlace & OnDisk)
  | ({
      readonly op: 'rename';
      readonly fid: Fid;
      readonly from: RefPlace;
      readonly to: RefPlace;
      readonly over: Fid | null;
    } & Partial<OnDisk>)
  /** Contents or attributes may have changed: look into it. */
  | ({
      readonly op: 'check';
      readonly fid: Fid;
      /** By its number alone it is this vnode: the contents say. */
      readonly isUnsure: boolean;
    } & OnDisk)
  | ({
      readonly op: 'remove' | 'rmdir';
      readonly fid: Fid;
      /** A mount point that is to go, though its volume is shown. */
      readonly unmounts?: true;
    } & RefPlace);

export interface LocalPlan {
  /** In the order in which they must be logged. */
  readonly ops: readonly LocalOp[];
  /** Removals that nothing else waits for; after all the others. */
  readonly removals: readonly Extract<LocalOp, { op: 'remove' | 'rmdir' }>[];
  /** Directories that were seen: their times go with their entries, and their own attributes are told last of all. */
  readonly directories: ReadonlyArray<{ readonly ref: Ref } & OnDisk>;
  /** Names that are gone, but whose vnode has been seen at a place that has not settled yet. */
  readonly deferred: ReadonlyArray<{ readonly dir: Fid; readonly name: string }>;
  /** Paths that show a vnode whose only other name could not be judged yet: to be looked at again. */
  readonly unclear: ReadonlyArray<readonly string[]>;
  /** Directories that are held with all beneath: their disk is not there. */
  readonly away: readonly Fid[];
  /** Names that are gone and not removed: what they are in, or they, are not to be on this disk. */
  readonly left: ReadonlyArray<Place & { readonly fid: Fid }>;
}

/** What the planner asks about the world besides the records. */
export interface LocalContext {
  isIgnored(dir: Fid, name: string, kind: VnodeKind): boolean;
  /** What is missing there has left the disk for a person's wish: it is no removal (rule X2). */
  hasLeft(fid: Fid, place: Place): boolean;
  /** The inode was seen at a place that has not settled yet. */
  isElsewhere(inode: string): boolean;
  readonly mounts: {
    /** What is gone there has vanished with its disk: it is no removal. */
    isHeld(dir: Fid): boolean;
    /** What stands at the place of the directory is another disk, or what lies beneath one that is not there. */
    isAwayAt(dir: Fid, node: DiskNode): boolean;
  };
}
