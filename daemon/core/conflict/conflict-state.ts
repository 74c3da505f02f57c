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
 * Holds the conflict repairs, the list of conflicts, and the refused updates that wait for a fid or for word
 * of the server.
 */
export class ConflictState {
  readonly adjustments: ConflictRepairList;
  readonly list: ConflictList;
  /** Asked in this connection, for the sides of conflicts, with a number before that request. */
  readonly foldersAsked = new Map<Fid, RequestId>();
  /** Lost folders for which it is asked what has their names, each once in a connection (sharing/ask-gone.ts). */
  readonly #gone = new Set<Fid>();
  /** The folders in which these names are, as far as they are not asked for yet. */
  readonly #toAsk = new Set<Fid>();
  /** Contents that were given up and are not copied yet; true: the disk had no room for it (lost-contents.ts). */
  readonly givenUp = new Map<string, boolean>();
  /** Updates that were refused in mount points on this connection, and vnodes whose names may have changed since (out-of-mounts.ts). */
  readonly refusedInMounts = new Set<UpdateSeq>();
  readonly renamed = new Set<Fid>();
  readonly #unresolved = new Map<UpdateSeq, Unresolved>();

  constructor(out: Outbox) {
    this.adjustments = new ConflictRepairList(out);
    this.list = new ConflictList(out);
  }

  /** A refusal waits for a fid, or for what the server is asked. */
  awaitWord(seq: UpdateSeq, unresolved: Unresolved): void {
    this.#unresolved.set(seq, unresolved);
  }

  /** The refusals that wait, in their order. */
  unresolved(): ReadonlyMap<UpdateSeq, Unresolved> {
    return this.#unresolved;
  }

  resolved(seq: UpdateSeq): void {
    this.#unresolved.delete(seq);
  }

  /** What has the name of a lost folder in `dir` is to be asked, unless it was already. Whether that is still to be done. */
  asksIn(dir: Fid, lost: Fid): boolean {
    if (!this.#gone.has(lost)) this.#toAsk.add(dir);
    this.#gone.add(lost);
    return this.#toAsk.has(dir);
  }

  /** The folders to ask for now. */
  takeToAsk(): readonly Fid[] {
    const all = [...this.#toAsk];
    this.#toAsk.clear();
    return all;
  }

  get hasToAsk(): boolean {
    return this.#toAsk.size > 0;
  }

  /** Everything is sent anew: what is refused then is refused again. */
  forgetRefusals(): void {
    this.#unresolved.clear();
    this.foldersAsked.clear();
    this.#gone.clear();
    this.#toAsk.clear();
  }
}
