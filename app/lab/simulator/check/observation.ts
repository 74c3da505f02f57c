/**
 * What can be seen of a run while it goes on: what checkers hear. Nobody in the world learns anything through it.
 */
import type { ChangeSet } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { DeviceAccess, RowWrite } from '../../../../shared/model/stored.ts';
import type { NamedSnapshot } from '../../../../shared/model/snapshots.ts';
import type { CommitNumber, Digest, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { UpdateResult, UpdateSeq } from '../../../../shared/model/update.ts';
import type { TransferLimits } from '../../../../shared/model/transfer-limits.ts';
import type { RowChange } from '../../../../shared/ports/client-store.ts';
import type {
  Attributes,
  FileSystem,
  NamedAttributes,
} from '../../../../shared/ports/file-system.ts';
import type { Fingerprint } from '../../../../shared/ports/transport.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { Laptop } from './laptop.ts';
import type { LeavingContents } from '../net/memory-connection.ts';
import type { DecidedAccess } from '../store/decided-access.ts';
import type { FileOperation } from '../plan/operation.ts';

/** An operation of the plan as it runs. */
export interface Running {
  readonly number: number;
  readonly client: Laptop;
  readonly operation: FileOperation;
}

/** A call of a laptop's file-system port. */
export interface FileCall {
  readonly client: Laptop;
  readonly method: keyof FileSystem;
  readonly given: readonly unknown[];
}

/** What a laptop looked for in the snapshots of its volume, and was told. */
export interface LookBack {
  readonly client: Laptop;
  readonly told:
    | { readonly what: 'snapshots'; readonly snapshots: readonly NamedSnapshot[] }
    | {
        readonly what: 'folder';
        readonly snapshot: NamedSnapshot;
        readonly path: string;
        /** `digest` left out: that was not told. */
        readonly entries: ReadonlyArray<
          Pick<VnodeStatus, 'kind' | 'size'> & {
            readonly name: string;
            readonly digest?: Digest | null;
          }
        >;
      }
    | {
        readonly what: 'contents';
        readonly snapshot: NamedSnapshot;
        readonly path: string;
        readonly digest: Digest | null;
      }
    | {
        readonly what: 'refusal';
        readonly snapshot: NamedSnapshot;
        readonly path: string;
        readonly code: string;
      };
}

export type Observation =
  | { readonly kind: 'began'; readonly running: Running }
  /**
   * The program had this file in view: it read it, or is about to write over it or to remove it. What it ends by that is
   * no loss. `bytes`: what a reader was given.
   */
  | {
      readonly kind: 'saw';
      readonly running: Running;
      readonly path: string;
      readonly attributes: Attributes;
      readonly bytes: Uint8Array | null;
    }
  | {
      readonly kind: 'listed';
      readonly running: Running;
      readonly path: string;
      readonly entries: readonly NamedAttributes[];
    }
  /** A write was acknowledged: its close has returned. */
  | {
      readonly kind: 'wrote';
      readonly running: Running;
      readonly path: string;
      readonly attributes: Attributes;
    }
  /** A front end is about to tell that somebody, who had these contents in view, wrote over them on its disk. */
  | { readonly kind: 'overwrote'; readonly client: Laptop; readonly digest: Digest | null }
  /** Contents of the past are in a file again: that store was acknowledged. They may have been given up before. */
  | { readonly kind: 'brought-back'; readonly client: Laptop; readonly digest: Digest | null }
  | { readonly kind: 'done'; readonly running: Running }
  | { readonly kind: 'refused'; readonly running: Running; readonly code: ErrorCode }
  /** A process, by the name of its machine. */
  | { readonly kind: 'started'; readonly who: string }
  | { readonly kind: 'ended'; readonly who: string; readonly how: 'killed' | 'power' | 'closed' }
  /** A program asked a file system for something; the same `call` is answered or refused, or its daemon ends. */
  | { readonly kind: 'asked'; readonly call: FileCall }
  | { readonly kind: 'answered'; readonly call: FileCall; readonly value: unknown }
  | { readonly kind: 'denied'; readonly call: FileCall; readonly error: unknown }
  /** A laptop was asked to flush; and it has. */
  | { readonly kind: 'flushing'; readonly client: Laptop; readonly number: number }
  | { readonly kind: 'flushed'; readonly client: Laptop; readonly number: number }
  /** A person is about to take these out of the queue, with what waits for them: the server refuses them. */
  | { readonly kind: 'gives-up'; readonly client: Laptop; readonly updates: readonly UpdateSeq[] }
  /** A laptop hands a request to its link. */
  | { readonly kind: 'sending'; readonly client: Laptop; readonly priorityClass: PriorityClass }
  /** A laptop's database has this durably; its daemon may not know yet. */
  | {
      readonly kind: 'saved';
      readonly client: Laptop;
      readonly changes: readonly RowChange[];
    }
  /** A laptop has recorded this: it survives the end of its daemon, and is `saved` later, or gone with the power. */
  | {
      readonly kind: 'recorded';
      readonly client: Laptop;
      readonly changes: readonly RowChange[];
    }
  /** The server's database has told it what these devices may do; `fingerprint` where it was asked by that. */
  | {
      readonly kind: 'access';
      readonly devices: ReadonlyArray<DeviceAccess & { readonly fingerprint?: Fingerprint }>;
    }
  /** The server has sent something to a device, by its fingerprint; no refusals. */
  | { readonly kind: 'sent'; readonly peer: Fingerprint }
  /** The server has sent these results: from now on who wrote may know that it is done. */
  | {
      readonly kind: 'told';
      readonly peer: Fingerprint;
      readonly results: readonly UpdateResult[];
    }
  /** The server's database has this durably; the server may not know yet. */
  | { readonly kind: 'committed'; readonly writes: readonly RowWrite[] }
  /**
   * The server begins again from a backup (rule I1): of each volume, what it committed after `last` it knows no more. What
   * no laptop held of that is gone for good, and nobody's fault.
   */
  | {
      readonly kind: 'restored';
      readonly epoch: string;
      readonly volumes: ReadonlyArray<{
        /** The one of the backup. */
        readonly epoch: string;
        readonly volume: VolumeId;
        readonly last: CommitNumber;
        /** The empty commit with which the new epoch begins. */
        readonly first: CommitNumber;
        /** Those of the backup; left out: none. */
        readonly snapshots?: readonly NamedSnapshot[];
      }>;
    }
  /** An administrator has made a snapshot, or removed one; collection is about to remove these contents, durably. */
  | {
      readonly kind: 'snapshot-made';
      readonly volume: VolumeId;
      readonly snapshot: NamedSnapshot;
    }
  | { readonly kind: 'snapshot-removed'; readonly volume: VolumeId; readonly name: string }
  | { readonly kind: 'forgotten'; readonly digests: readonly Digest[] }
  /** A bit has turned in contents on the server's disk. */
  | { readonly kind: 'rotted' }
  /** The server's database begins to refuse. */
  | { readonly kind: 'database-fails' }
  /** A laptop was told of snapshots; of a folder in one; that contents of one are in a file again; or was refused. */
  | ({ readonly kind: 'looked-back' } & LookBack)
  /** A laptop's disk and database were copied to another machine, which is a laptop of its own from here on (rule I2). */
  | { readonly kind: 'copied'; readonly from: Laptop; readonly to: Laptop }
  /** Faults were over and no program was at work: how long it took until all was answered and in place, and how long it may. */
  | { readonly kind: 'settled'; readonly tookMs: number; readonly boundMs: number }
  /** The server's database has decided about access, with what each person may do before and after. */
  | ({ readonly kind: 'decided' } & DecidedAccess)
  /** A program wrote a file in a volume that people share, and was answered. */
  | {
      readonly kind: 'shared-work';
      readonly client: Laptop;
      readonly volume: VolumeId;
      readonly digest: Digest;
    }
  /** Somebody who never had a right to a volume was told something of it. */
  | { readonly kind: 'spied'; readonly who: string; readonly volume: VolumeId; readonly by: string }
  /** Bytes of contents leave in one direction of a connection, which `lane` names. `at`: milliseconds. */
  | ({ readonly kind: 'left'; readonly at: number } & LeavingContents)
  /** A person changes the limits of a laptop; and they hold now, durably. `limits` null: nobody knows which do. */
  | { readonly kind: 'limiting'; readonly client: Laptop }
  | {
      readonly kind: 'limited';
      readonly client: Laptop;
      readonly limits: TransferLimits | null;
    }
  /** A replica has put a commit in place. */
  | { readonly kind: 'applied'; readonly client: Laptop; readonly change: ChangeSet };

export type Observe = (observation: Observation) => void;
