import type { Fid, VolumeId } from './fid.ts';
import type { CommitNumber, VnodeStatus } from './vnode.ts';
import type { CopyMark, UpdateSeq } from './update.ts';

/** A number given by the server to each paired device. */
export type DeviceId = number;

/** A directory entry as a commit left it; `fid` null: the name is free now. */
export interface EntryChange {
  readonly dir: Fid;
  readonly name: string;
  readonly fid: Fid | null;
}

/**
 * One commit of a volume as others see it: what the change feed is made of (rule P4).
 *
 * `vnodes` are the states after the commit of every vnode it wrote, the directories whose entries changed among them;
 * a vnode that ended has `links` 0. In the order of fids' first mention by the update. A rename shows as one
 * entry freed and one set, with the same fid; a rename over another as well, and the other's status follows.
 */
export interface ChangeSet {
  readonly commit: CommitNumber;
  readonly device: DeviceId;
  readonly seq: UpdateSeq;
  readonly vnodes: readonly VnodeStatus[];
  readonly entries: readonly EntryChange[];
  /** What was said of the name that is set. */
  readonly copyOf?: CopyMark;
}

/** What a device may do in a volume. */
export type Rights = 'read' | 'write';

export interface VolumeInfo {
  readonly id: VolumeId;
  readonly name: string;
  readonly root: Fid;
  readonly rights: Rights;
  /** The newest commit when this was reported. */
  readonly head: CommitNumber;
}
