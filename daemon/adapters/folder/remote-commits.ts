/**
 * Follows the volume: puts its commits in place in order, holds back what must wait, and looks at that again when told.
 *
 * Invariants
 * 1. The position is written in the transaction of the records and held rows that it covers.
 * 2. A commit is begun when the one before is in place or its rows are held.
 * 3. Contents are waited for without the folder; the plan is made anew when they are here.
 */
import type { ChangeSet, VolumeInfo } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Feed, Waits } from '../../../shared/ports/feed.ts';
import type { WaitingStatus } from '../../../shared/control/snapshot.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ApplyPlan } from './apply-plan.ts';
import type { ContentsAhead } from './contents-ahead.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { FolderRecords } from './folder-records.ts';
import type { HeldRows } from './held-rows.ts';
import type { RemoteStart } from './plan-remote.ts';
import { eachOf, type Turns } from './turns.ts';
import { takeSnapshot } from './take-snapshot.ts';

/** Plans of one vnode in a row: each may want contents that the one before did not. */
const MOST_TRIES = 4;

export interface RemoteCommitsParts {
  readonly volume: VolumeInfo;
  readonly feed: Feed;
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly ahead: ContentsAhead;
  readonly apply: ApplyPlan;
  readonly turns: Turns;
  readonly limits: FolderLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Resolves when the folder may be touched (its root is there). */
  readonly usable: () => Promise<void>;
  /** Writes records, held rows and position. */
  /** Resolves when what was put in place is durable. */
  readonly save: () => Promise<void>;
  readonly changed: () => void;
}

export class RemoteCommits {
  readonly #parts: RemoteCommitsParts;
  readonly #waiters: Array<{ commit: CommitNumber; how: Waits; resolve: () => void }> = [];
  #position: CommitNumber | null;
  /** Up to here every row is in place or among the held ones: what is written as the position. */
  #merged: CommitNumber | null;
  #arrived = 0;
  /** How many are putting something in place right now. */
  #works = 0;

  constructor(parts: RemoteCommitsParts, position: CommitNumber | null) {
    this.#parts = parts;
    this.#position = position;
    this.#merged = position;
  }

  /** What is to be saved together with the records. */
  get merged(): CommitNumber | null {
    return this.#merged;
  }

  get position(): CommitNumber | null {
    return this.#position;
  }

  /** Commits that have arrived and are not in place, and what failed for now. */
  get unsettled(): number {
    return this.#arrived + this.#parts.apply.unplaced.size;
  }

  /** Why something is not in place. */
  waiting(): WaitingStatus[] {
    const coming = this.#arrived;
    if (coming === 0) return this.#parts.apply.unplaced.list();
    const reason = `${coming} ${coming === 1 ? 'commit is' : 'commits are'} being put in place`;
    return [...this.#parts.apply.unplaced.list(), { path: null, reason }];
  }

  /** `says`: what can't be put in place is not waited for, for the caller tells it. */
  reached(commit: CommitNumber, how: Waits = 'waits'): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ commit, how, resolve });
      this.tellWaiters();
    });
  }

  /** The whole volume, where there is no position yet. */
  async start(): Promise<void> {
    if (this.#position !== null) {
      this.#parts.feed.applied(this.#parts.volume.id, this.#position);
      return;
    }
    try {
      await this.#snapshot();
    } catch (error) {
      // The server lost the commit in the middle of it (rule I1): `follow` begins anew.
      if (!(error instanceof GodwitError) || error.code !== 'history-gone') throw error;
    }
  }

  /** Until the signal. */
  async follow(): Promise<void> {
    const { feed, volume, signal, log } = this.#parts;
    while (!signal.aborted) {
      try {
        const since = this.#position;
        if (since === null) await this.#snapshot();
        else {
          const sets = await feed.changes(volume.id, since, signal);
          await this.#working(() => this.#applyAll(sets));
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof GodwitError) || error.code !== 'history-gone') throw error;
        log.warn(
          'the changes since the last commit in place are not kept: the whole state is taken',
        );
        this.#position = null;
      }
    }
  }

  /** Puts in place what was held back and may go now. */
  async lookAgain(): Promise<void> {
    const { held, apply } = this.#parts;
    if (held.size === 0) return apply.prune();
    await this.#working(() =>
      this.#applyHeld({
        vnodes: [...held.vnodes()].map(({ fid }) => fid),
        entries: [...held.entries()],
      }),
    );
    apply.prune();
    await this.#parts.save();
    this.tellWaiters();
    this.#parts.changed();
  }

  /** The same of one vnode. */
  async placeOne(fid: Fid): Promise<void> {
    const { held, save, changed } = this.#parts;
    await this.#working(() => this.#applyHeld(startOf(fid, held)));
    await save();
    this.tellWaiters();
    changed();
  }

  /** Those whose commits are in place, or failed and do not any more. */
  tellWaiters(): void {
    const { apply } = this.#parts;
    for (const waiter of [...this.#waiters]) {
      if (this.#position === null || this.#position < waiter.commit) continue;
      if (waiter.how === 'waits' && apply.unplaced.isFailing(waiter.commit)) continue;
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.resolve();
    }
  }

  async #snapshot(): Promise<void> {
    const { feed, volume, held, records, turns, signal } = this.#parts;
    const snapshot = await takeSnapshot(feed, volume, signal);
    await this.#parts.usable();
    await turns.take(() => {
      snapshot.hold(records, held);
      this.#merged = snapshot.at;
    });
    await this.#parts.save();
    await this.lookAgain();
    this.#position = snapshot.at;
    feed.applied(volume.id, snapshot.at);
    this.tellWaiters();
  }

  async #applyAll(sets: readonly ChangeSet[]): Promise<void> {
    const { feed, volume, limits, changed } = this.#parts;
    this.#arrived = sets.length;
    changed();
    let unsaved = 0;
    let lookFrom = 0;
    for (const [index, set] of sets.entries()) {
      await this.#parts.usable();
      if (index >= lookFrom) lookFrom = this.#prefetch(sets, index);
      await this.#applySet(set);
      this.#arrived -= 1;
      unsaved += 1;
      if (unsaved < limits.commitsPerTransaction && index < sets.length - 1) continue;
      unsaved = 0;
      await this.#parts.save();
      this.#position = set.commit;
      feed.applied(volume.id, set.commit);
      this.tellWaiters();
    }
    changed();
  }

  /**
   * A newer version came, or a change of ours, or it is ignored here: when nothing is being put in place, nothing asks for what was
   * obtained ahead any more.
   */
  async #working(work: () => Promise<void>): Promise<void> {
    this.#works += 1;
    try {
      await work();
    } finally {
      this.#works -= 1;
      if (this.#works === 0) this.#parts.ahead.dropAll();
    }
  }

  /** Gives where to look next: where nothing is wanted (our own changes come back), the same need not be looked at for each of them. */
  #prefetch(sets: readonly ChangeSet[], from: number): number {
    const { ahead, apply, limits } = this.#parts;
    const wanted: VnodeStatus[] = [];
    const end = Math.min(from + limits.commitsPerTransaction, sets.length);
    for (let index = from; index < end && wanted.length < limits.aheadFiles; index++) {
      const { vnodes } = sets[index] as ChangeSet;
      for (const status of vnodes) if (apply.wantsContents(status)) wanted.push(status);
    }
    ahead.prefetch(wanted);
    return wanted.length === 0 ? end : from + 1;
  }

  async #applySet(set: ChangeSet): Promise<void> {
    const { turns, held, records, apply } = this.#parts;
    const vnodes = set.vnodes.map(({ fid }) => fid);
    let isMerged = false;
    for (;;) {
      const wanted = await turns.take(() => {
        if (!isMerged) {
          held.merge(set);
          records.shown(set);
        }
        isMerged = true;
        this.#merged = set.commit;
        // A name may have waited for the contents that this commit brings (rule W2).
        const waiting = vnodes.flatMap((fid) => held.entriesNaming(fid));
        return apply.run({ vnodes, entries: [...set.entries, ...waiting] });
      });
      if (wanted.length === 0) return;
      await apply.prepare(wanted);
    }
  }

  /** Everything that is held: names first, then contents as they come; then what their directories were needed for. */
  async #applyHeld(first: RemoteStart): Promise<void> {
    const { turns, held, apply, records, limits, signal } = this.#parts;
    let start = first;
    for (;;) {
      const known = new Set(
        [...start.entries].map(({ dir }) => dir).filter((dir) => records.has(dir)),
      );
      await this.#parts.usable();
      const wanted = await turns.take(() => apply.run(start));
      await eachOf(wanted, limits.parallelCopies, async (status) => {
        let left: VnodeStatus[] = [status];
        for (let tries = 0; left.length > 0 && tries < MOST_TRIES && !signal.aborted; tries++) {
          await apply.prepare(left);
          await this.#parts.usable();
          left = await turns.take(() => apply.run(startOf(status.fid, held)));
        }
      });
      const made = new Set(
        [...start.entries].map(({ dir }) => dir).filter((dir) => records.has(dir)),
      );
      const opened = [...made].filter((dir) => !known.has(dir));
      const next = opened.flatMap((dir) => held.entriesIn(dir));
      if (next.length === 0) return;
      start = { vnodes: [], entries: next };
    }
  }
}

function startOf(fid: Fid, held: HeldRows): { vnodes: Fid[]; entries: Place[] } {
  return { vnodes: [fid], entries: held.entriesNaming(fid) };
}
