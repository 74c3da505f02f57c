/**
 * Follows the volume: takes its commits in order, puts in place what needs nothing more, has contents brought for the rest (contents-coming.ts), holds
 * back what must wait, and looks at that again when told.
 *
 * Invariants
 * 1. What is written with the records and held rows is the commit up to which every row is in place or among those that are held (`merged`).
 * 2. The position, which others are told, is the commit up to which everything is in place and durable, or waits for what the feed can't bring.
 * 3. A commit is taken when the rows of the one before are in place or held. Of one vnode or name the newest row counts, so what depends on something
 *    that waits, waits with it; whatever else was committed later may be in place before it (rule W1).
 * 4. Contents are waited for without the folder; the plan is made anew when they are here.
 */
import type { ChangeSet, EntryChange, VolumeInfo } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import {
  elapsed,
  milliseconds,
  type Duration,
  type Instant,
} from '../../../../shared/model/time.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Feed, WaitPolicy } from '../../../../shared/ports/feed.ts';
import type { WaitingStatus } from '../../../../shared/control/snapshot.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { AcrossDisks } from './across-disks.ts';
import type { ApplyPlan } from './apply-plan.ts';
import { contentsKey, type ContentsAhead } from './contents-ahead.ts';
import { ContentsComing } from './contents-coming.ts';
import type { Background } from '../background.ts';
import type { RootPresence } from '../disk/root-presence.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { SaveRecords } from '../records/save-records.ts';
import type { FolderLimits } from '../folder-limits.ts';
import type { Asked, ExcludedPlaces } from '../records/excluded-places.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { HeldRows } from '../records/held-rows.ts';
import type { RemoteStart } from './plan-remote.ts';
import type { Unplaced } from './unplaced.ts';
import type { Mutex } from '../../../../shared/concurrency/mutex.ts';
import { OneAtATime } from '../../../../shared/concurrency/one-at-a-time.ts';
import { eachOf } from '../../../../shared/concurrency/semaphore.ts';
import { takeSnapshot } from '../records/take-snapshot.ts';

/** Plans of one vnode in a row: each may want contents that the one before did not. */
const MOST_TRIES = 4;

export interface RemoteCommitsParts {
  readonly volume: VolumeInfo;
  readonly feed: Feed;
  readonly records: FolderRecords;
  readonly held: HeldRows;
  readonly ahead: ContentsAhead;
  readonly across: Pick<AcrossDisks, 'dropAll'>;
  readonly apply: ApplyPlan;
  readonly unplaced: Unplaced;
  readonly excluded: Pick<ExcludedPlaces, 'isNone' | 'isOut'>;
  readonly mutex: Mutex;
  readonly limits: FolderLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly background: Background;
  readonly presence: Pick<RootPresence, 'usable'>;
  readonly save: Pick<SaveRecords, 'saved'>;
  readonly events: FolderEvents;
}

/** Takes the commits of the volume in order and has their rows put in place or held. */
export class RemoteCommits {
  readonly #parts: RemoteCommitsParts;
  readonly #waiters: Array<{ commit: CommitNumber; how: WaitPolicy; resolve: () => void }> = [];
  readonly #coming: ContentsComing;
  readonly #save: SaveOften;
  /** As `held.merged`, of what is durable; null: the whole volume is to be taken first. */
  #saved: CommitNumber | null;
  /** Where the feed is asked from; null as above. */
  #taken: CommitNumber | null;
  /** What was held when this run began was looked at. */
  #hasLooked = false;
  #arrived = 0;
  /** How many are putting something in place right now. */
  #works = 0;

  constructor(parts: RemoteCommitsParts) {
    this.#parts = parts;
    const { limits, clock, apply, background, events, save } = parts;
    this.#saved = parts.held.merged;
    this.#taken = parts.held.merged;
    this.#save = new SaveOften({ clock, background, save }, limits.savePause);
    this.#coming = new ContentsComing({
      ...{ limits, signal: background.signal, run: (work) => background.run(work) },
      obtain: (status) => apply.prepare([status]),
      place: (status, isRenamed) => this.#placeCome(status, isRenamed),
      save: () => this.#save.saved(),
      came: () => this.#came(),
      failed: async (error) => {
        events.emit('workFailed', error);
        await background.delay(limits.retry);
      },
    });
  }

  get position(): CommitNumber | null {
    const { before } = this.#coming;
    if (before === null || this.#saved === null || before > this.#saved) return this.#saved;
    return before;
  }

  /** Commits that have arrived and are not in place, contents that are on their way, and what failed for now. */
  get unsettled(): number {
    return this.#arrived + this.#coming.size + this.#parts.unplaced.open;
  }

  /** Why something is not in place. */
  waiting(): WaitingStatus[] {
    const waiting = this.#parts.unplaced.list();
    const commits = this.#arrived;
    const files = this.#coming.size;
    if (files > 0) {
      const what = files === 1 ? 'a file are' : `${files} files are`;
      waiting.push({ path: null, reason: `the contents of ${what} on their way` });
    }
    if (commits > 0) {
      const what = commits === 1 ? 'commit is' : 'commits are';
      waiting.push({ path: null, reason: `${commits} ${what} being put in place` });
    }
    return waiting;
  }

  /** `says`: what can't be put in place is not waited for, for the caller tells it. */
  reached(commit: CommitNumber, how: WaitPolicy = 'waits'): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ commit, how, resolve });
      this.tellWaiters();
    });
  }

  /** Resolves when the contents that are on their way now are in place. */
  come(): Promise<void> {
    return this.#coming.come();
  }

  /** The whole volume, where there is no position yet. */
  async start(): Promise<void> {
    if (this.#saved !== null) {
      // What is held may wait for contents alone: then it is not in place.
      if (this.#parts.held.size === 0) this.#tell();
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
    const { feed, volume, background, log } = this.#parts;
    const { signal } = background;
    while (!signal.aborted) {
      try {
        const since = this.#taken;
        if (since === null) await this.#snapshot();
        else {
          await this.#coming.room();
          const sets = await feed.changes(volume.id, since, signal);
          await this.#working(() => this.#applyAll(sets));
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof GodwitError) || error.code !== 'history-gone') throw error;
        log.warn(
          'the changes since the last commit in place are not kept: the whole state is taken',
        );
        this.#taken = null;
      }
    }
  }

  /** Puts in place what was held back and may go now; what needs contents first, when they have come. What waits for them already is not looked at. */
  async lookAgain(): Promise<void> {
    const { held, mutex, events, presence, apply, save } = this.#parts;
    if (held.size > 0) {
      const before = this.#hasLooked ? this.position : (0 as CommitNumber);
      await presence.usable();
      const look = (): VnodeStatus[] => this.#run(this.#heldToGo());
      const wanted = await this.#working(() => mutex.take(look));
      this.#coming.want(wanted, before ?? (0 as CommitNumber));
      await save.saved();
    }
    apply.prune();
    this.#hasLooked = true;
    this.#tell();
    events.emit('statusChanged');
  }

  /** What is held and may go: not what waits for its contents, nor what stays out. */
  #heldToGo(): RemoteStart {
    const { held, excluded, records } = this.#parts;
    const isOver = (fid: Fid | null): boolean => fid === null || !this.#coming.has(fid);
    const start = heldOf(held, isOver);
    if (excluded.isNone) return start;
    const asked: Asked = new Map();
    return {
      vnodes: start.vnodes.filter((fid) => {
        const rows = records.has(fid) ? [] : held.entriesNaming(fid);
        return rows.length === 0 || rows.some((row) => !excluded.isOut(row, asked));
      }),
      entries: start.entries.filter((row) => !excluded.isOut(row, asked)),
    };
  }

  /** The same of one vnode, and it is waited for. */
  async placeOne(fid: Fid): Promise<void> {
    const { held, save, events } = this.#parts;
    await this.#working(() => this.#applyHeld(startOf(fid, held)));
    await save.saved();
    this.tellWaiters();
    events.emit('statusChanged');
  }

  /** Those whose commits are in place, or failed and do not any more. */
  tellWaiters(): void {
    const { unplaced } = this.#parts;
    const { position } = this;
    for (const waiter of [...this.#waiters]) {
      if (position === null || position < waiter.commit) continue;
      if (waiter.how === 'waits' && unplaced.isFailing(waiter.commit)) continue;
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.resolve();
    }
  }

  async #snapshot(): Promise<void> {
    const { feed, volume, held, records, mutex, background, presence, save, events } = this.#parts;
    const snapshot = await takeSnapshot(feed, volume, background.signal);
    await presence.usable();
    await mutex.take(() => {
      snapshot.hold(records, held);
      held.merged = snapshot.at;
    });
    await save.saved();
    await this.#working(() => this.#applyHeld(heldOf(held, () => true)));
    await save.saved();
    this.#saved = snapshot.at;
    this.#taken = snapshot.at;
    this.#tell();
    events.emit('statusChanged');
  }

  async #applyAll(sets: readonly ChangeSet[]): Promise<void> {
    const { limits, events } = this.#parts;
    this.#arrived = sets.length;
    events.emit('statusChanged');
    let unsaved = 0;
    for (const [index, set] of sets.entries()) {
      await this.#parts.presence.usable();
      await this.#applySet(set);
      this.#taken = set.commit;
      this.#arrived -= 1;
      unsaved += 1;
      if (unsaved < limits.commitsPerTransaction && index < sets.length - 1) continue;
      unsaved = 0;
      await this.#parts.save.saved();
      this.#saved = set.commit;
      this.#tell();
    }
    this.#settled();
    // What they have moved into an excluded folder goes from the disk.
    if (!this.#parts.excluded.isNone) events.emit('heldMayGo');
    events.emit('statusChanged');
  }

  async #applySet(set: ChangeSet): Promise<void> {
    const { mutex, held, records, feed } = this.#parts;
    const before = held.merged ?? (0 as CommitNumber);
    const wanted = await mutex.take(() => {
      held.merge(set);
      records.shown(set, feed);
      held.merged = set.commit;
      this.#coming.named(set.entries, (fid) => held.vnode(fid));
      const vnodes = set.vnodes.map(({ fid }) => fid);
      // A name may have waited for the contents that this commit brings (rule W2).
      const waiting = vnodes.flatMap((fid) => held.entriesNaming(fid));
      return this.#run({ vnodes, entries: [...set.entries, ...waiting] });
    });
    this.#coming.want(wanted, before);
  }

  /** In a turn. Then what its directories were needed for. */
  #run(first: RemoteStart): VnodeStatus[] {
    const { apply, held } = this.#parts;
    const wanted: VnodeStatus[] = [];
    for (let start = first; ;) {
      wanted.push(...apply.run(start));
      const entries = apply.takeOpened().flatMap((dir) => held.entriesIn(dir));
      if (entries.length === 0) return wanted;
      start = { vnodes: [], entries };
    }
  }

  /** Contents have come: of the newest version that the feed has told of, or of the one before. */
  async #placeCome(status: VnodeStatus, isRenamed: boolean): Promise<VnodeStatus[]> {
    const { mutex, presence, held } = this.#parts;
    await presence.usable();
    return mutex.take(() => {
      this.#placeEarlier(status, isRenamed);
      return this.#run(startOf(status.fid, held));
    });
  }

  #placeEarlier(status: VnodeStatus, isRenamed: boolean): void {
    const { held, ahead } = this.#parts;
    const newest = held.vnode(status.fid);
    if (newest !== null && contentsKey(newest) === contentsKey(status)) return;
    if (newest !== null && newest.version > status.version && newest.links > 0) {
      held.setVnode(status);
      try {
        const { vnodes, entries } = startOf(status.fid, held);
        this.#run({ vnodes, entries: isRenamed ? [] : entries });
      } finally {
        // Whatever fails at the one before: what the feed has told of last is missing still.
        held.setVnode(newest);
      }
    }
    ahead.giveUp(status);
  }

  #came(): void {
    this.#tell();
    this.#dropAhead();
    this.#settled();
    this.#parts.events.emit('statusChanged');
  }

  #settled(): void {
    if (this.#arrived === 0 && this.#coming.size === 0) this.#parts.events.emit('commitsTaken');
  }

  #tell(): void {
    const { feed, volume } = this.#parts;
    const { position } = this;
    if (position !== null) feed.applied(volume.id, position);
    this.tellWaiters();
  }

  async #working<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      return await work();
    } finally {
      this.#works -= 1;
      this.#dropAhead();
    }
  }

  /**
   * A newer version came, or a change of ours, or it is ignored here: when nothing is being put in place, nothing asks for what was
   * obtained ahead any more.
   */
  #dropAhead(): void {
    if (this.#works > 0 || this.#coming.size > 0) return;
    this.#parts.ahead.dropAll();
    this.#parts.across.dropAll();
  }

  /** Held rows: names first, then contents as they come. */
  async #applyHeld(start: RemoteStart): Promise<void> {
    const { mutex, held, apply, limits, background } = this.#parts;
    const { signal } = background;
    await this.#parts.presence.usable();
    const wanted = await mutex.take(() => this.#run(start));
    await eachOf(wanted, limits.parallelCopies, async (status) => {
      let left: VnodeStatus[] = [status];
      for (let tries = 0; left.length > 0 && tries < MOST_TRIES && !signal.aborted; tries++) {
        await apply.prepare(left);
        await this.#parts.presence.usable();
        left = await mutex.take(() => this.#run(startOf(status.fid, held)));
      }
    });
  }
}

/** What is held of these vnodes. */
function heldOf(
  held: HeldRows,
  isMeant: (fid: Fid | null) => boolean,
): { vnodes: Fid[]; entries: EntryChange[] } {
  const vnodes = [...held.vnodes()].map(({ fid }) => fid);
  return {
    vnodes: vnodes.filter(isMeant),
    entries: [...held.entries()].filter((row) => isMeant(row.fid)),
  };
}

function startOf(fid: Fid, held: HeldRows): { vnodes: Fid[]; entries: Place[] } {
  return { vnodes: [fid], entries: held.entriesNaming(fid) };
}

interface SaveOftenParts {
  readonly clock: Clock;
  readonly background: Background;
  readonly save: Pick<SaveRecords, 'saved'>;
}

/** Saves what comes by and by: the first at once, and all that came in a pause after it together. */
class SaveOften {
  readonly #saving: OneAtATime;
  #last: Instant | null = null;

  constructor({ clock, save, background }: SaveOftenParts, pause: Duration) {
    this.#saving = new OneAtATime(async () => {
      const since = this.#last === null ? pause : elapsed(this.#last, clock.now());
      if (since < pause) await background.delay(milliseconds(pause - since));
      await save.saved();
      this.#last = clock.now();
    });
  }

  /** Resolves when everything that has changed until now is durable. */
  saved(): Promise<void> {
    return this.#saving.run();
  }
}
