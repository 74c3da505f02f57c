/**
 * Reads of a volume that wait: for a store or a hidden update, by the vnode that is marked; and `Changes` for a commit.
 *
 * Invariant: the tally that all volumes share counts the reads that wait for a mark. The server holds so many streams open for them.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { ReadJob } from './read-job.ts';

/** A count that several share. */
export interface Tally {
  count: number;
}

/**
 * Keeps the reads of a volume that wait for a mark to end, and the polls that wait for a commit.
 */
export class WaitingReads {
  readonly #onMark = new Map<Fid, Set<ReadJob>>();
  readonly #pollers = new Set<ReadJob>();
  readonly #tally: Tally;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Reads that wait for a new commit, or for a promise that can't be given now. */
  get pollers(): ReadonlySet<ReadJob> {
    return this.#pollers;
  }

  /** Vnodes whose marks are waited for. */
  get marksWaitedFor(): Fid[] {
    return [...this.#onMark.keys()];
  }

  /** In the order in which they came. */
  onMarkOf(fid: Fid): ReadJob[] {
    return [...(this.#onMark.get(fid) ?? [])];
  }

  waitForMark(job: ReadJob, fid: Fid): void {
    const jobs = this.#onMark.get(fid) ?? new Set<ReadJob>();
    if (jobs.has(job)) return;
    this.#onMark.set(fid, jobs.add(job));
    this.#tally.count += 1;
  }

  /** Nothing happens where it does not wait for that. */
  endWaitForMark(job: ReadJob, fid: Fid): void {
    const jobs = this.#onMark.get(fid);
    if (jobs?.delete(job) !== true) return;
    this.#tally.count -= 1;
    if (jobs.size === 0) this.#onMark.delete(fid);
  }

  poll(job: ReadJob): void {
    this.#pollers.add(job);
  }

  endPoll(job: ReadJob): void {
    this.#pollers.delete(job);
  }
}
