/**
 * How far the history of a volume goes, and which parts of it were lost.
 *
 * Invariant: `staged` counts the commits that are decided, `committed` those that are durable; replies report the latter only.
 */
import type { EpochCut } from '../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';

/** Counts the decided and the durable commits of a volume, and knows the lost ones. */
export class VolumeHead {
  #staged: CommitNumber;
  #committed: CommitNumber;
  /** Where epochs of its history ended (rule I1). */
  readonly cuts: readonly EpochCut[];

  constructor(head: CommitNumber, cuts: readonly EpochCut[]) {
    this.#staged = head;
    this.#committed = head;
    this.cuts = cuts;
  }

  get staged(): CommitNumber {
    return this.#staged;
  }

  get committed(): CommitNumber {
    return this.#committed;
  }

  /** The number of the commit that is decided next. */
  get next(): CommitNumber {
    return (this.#staged + 1) as CommitNumber;
  }

  /** The next commit is decided. Its number. */
  stageNext(): CommitNumber {
    this.#staged = this.next;
    return this.#staged;
  }

  /** All commits up to this one are durable. */
  isDurable(commit: CommitNumber): void {
    this.#committed = commit;
  }

  /** What was staged failed. */
  dropStaged(): void {
    this.#staged = this.#committed;
  }

  /** A commit of a lost part of the history (rule I1): its number means nothing here. */
  isLost(commit: CommitNumber): boolean {
    return this.cuts.some(({ last, first }) => last < commit && commit < first);
  }
}
