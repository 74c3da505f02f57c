/** What conflicts have left: adjustments for the front end and the list for people, both durable, and refusals that wait. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Refusal, UpdateSeq } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { RequestId } from '../events.ts';
import type { Outbox } from '../effects.ts';
import { ConflictRepairList } from './adjustment-list.ts';
import { ConflictList } from './conflict-list.ts';

interface Unresolved {
  readonly refusal: Refusal;
  readonly existing: VnodeStatus | null;
}

/**
 * Holds the conflict repairs, the list of conflicts, and the refused updates that wait for a fid.
 */
export class ConflictState {
  readonly adjustments: ConflictRepairList;
  readonly list: ConflictList;
  /** Asked in this connection, for the sides of conflicts, with a number before that request. */
  readonly foldersAsked = new Map<Fid, RequestId>();
  readonly #unresolved = new Map<UpdateSeq, Unresolved>();

  constructor(out: Outbox) {
    this.adjustments = new ConflictRepairList(out);
    this.list = new ConflictList(out);
  }

  /** A refusal waits for a fid to call the copy by. */
  awaitFid(seq: UpdateSeq, unresolved: Unresolved): void {
    this.#unresolved.set(seq, unresolved);
  }

  /** The refusals that wait, in their order. */
  unresolved(): ReadonlyMap<UpdateSeq, Unresolved> {
    return this.#unresolved;
  }

  resolved(seq: UpdateSeq): void {
    this.#unresolved.delete(seq);
  }

  /** Everything is sent anew: what is refused then is refused again. */
  forgetRefusals(): void {
    this.#unresolved.clear();
    this.foldersAsked.clear();
  }
}
