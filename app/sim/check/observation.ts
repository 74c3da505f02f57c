/**
 * What can be seen of a run while it goes on: what checkers hear. Nobody in the world learns anything through it.
 */
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { RowWrite } from '../../../shared/model/stored.ts';
import type { Attributes, NamedAttributes } from '../../../shared/ports/file-system.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { FileOperation } from '../plan/operation.ts';

/** An operation of the plan as it runs. */
export interface Running {
  readonly number: number;
  readonly client: ClientNode;
  readonly operation: FileOperation;
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
  | { readonly kind: 'done'; readonly running: Running }
  | { readonly kind: 'refused'; readonly running: Running; readonly code: ErrorCode }
  /** A process, by the name of its machine. */
  | { readonly kind: 'started'; readonly who: string }
  | { readonly kind: 'ended'; readonly who: string; readonly how: 'killed' | 'power' | 'closed' }
  /** The server's database has this, durably; the server may not have been told. */
  | { readonly kind: 'committed'; readonly writes: readonly RowWrite[] }
  /** A replica has put a commit in place. */
  | { readonly kind: 'applied'; readonly client: ClientNode; readonly change: ChangeSet };

export type Hear = (observation: Observation) => void;
