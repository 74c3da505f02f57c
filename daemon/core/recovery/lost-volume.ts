/** A change of the server's epoch as far as it has got: what is read and what is wanted still. See epoch-change.ts. */
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { RequestId } from '../events.ts';
import type { Tree } from './tree.ts';

export interface Parting {
  readonly volume: VolumeId;
  /** The last commit that the server and we have both known. */
  readonly last: CommitNumber;
  /** The first of the server's present epoch. */
  readonly first: CommitNumber;
}

export interface LostVolume {
  readonly volume: VolumeId;
  /** The last commit that was kept. */
  readonly last: CommitNumber;
  /** The server's volume as of that commit. */
  readonly then: Tree;
  /** What the new epoch has committed. */
  readonly since: ChangeSet[];
  upTo: CommitNumber;
}

export interface EpochChange {
  /** The Hello whose answer named the new epoch, and that answer. */
  readonly request: RequestId;
  readonly reply: ReplyOf<'Hello'>;
  readonly volumes: readonly LostVolume[];
  /** Still to be read, the one being read first. */
  readonly toRead: LostVolume[];
  /** Contents to be taken into the store, and how many are on their way. */
  wanted: VnodeStatus[];
  copying: number;
  read: boolean;
}
