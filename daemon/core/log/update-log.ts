/**
 * The update log: what was done here and is not settled yet, in the order it was done, with what waits for what (W1).
 *
 * Invariants
 * 1. An update depends only on earlier ones. What must come after something new is logged again under a new number.
 * 2. The content of an update that may have been sent never changes; `fresh` ones were surely not sent from here. A copy of the data folder
 *    may have sent one that is fresh here: so what it is changed to has another name.
 * 3. Numbers grow and are never reused, over restarts too. A copy of the data folder reuses them: so each update has a name as well.
 * 4. `answered` updates are committed. They stay while the cache has not got to their commit, so that the view never goes
 *    back behind what was done here (rule P5); nothing waits for them.
 */
import { present } from '../../../shared/util/assert.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import {
  nameAfter,
  type Touched,
  type Update,
  type UpdateNonce,
  type UpdateSeq,
} from '../../../shared/model/update.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { StoredQueueStatus, UpdateRow } from '../../../shared/ports/client-store.ts';
import type { Instant, WallTime } from '../../../shared/model/time.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { HiddenUpdates } from './hidden-updates.ts';
import type { Outbox } from '../effects.ts';
import { LoggedGrowth } from './logged-growth.ts';
import { dependenciesOf } from './dependencies.ts';
import { UpdateIndex } from './update-index.ts';

export type UpdateState =
  | 'queued' // to be sent
  | 'sent' // on its way
  | 'stalled' // refused for what came before it: waits for that, and is logged again
  | 'blocked' // refused for a right (W7), held back for a quota, put aside, or unsendable; shown
  | 'answered'; // committed; see invariant 4

/** What a person, or the writeback delay, has set for one update (queue-status.ts). */
export interface QueueStatus {
  /** The lower is sent first; 0 is the order of the log. */
  readonly priority: number;
  /** It is not sent before a person orders it. */
  readonly isCancelled: boolean;
  /** The delay of a store counts from this time; null: it has none. */
  readonly written: WallTime | null;
}

export interface LoggedUpdate {
  readonly seq: UpdateSeq;
  name: UpdateNonce | null;
  readonly volume: VolumeId;
  readonly rank: UpdateSeq;
  renumbered: number;
  readonly place: Place | null;
  readonly ancestors: readonly Fid[];
  readonly above: readonly string[];
  readonly movesDirectory: boolean;
  readonly endsVnode: boolean;
  update: Update;
  content: string | null;
  state: UpdateState;
  fresh: boolean;
  answer: { readonly commit: CommitNumber; readonly touched: readonly Touched[] } | null;
  /** Unanswered updates this one depends on, and unanswered ones that depend on it. */
  readonly waitsFor: Set<UpdateSeq>;
  readonly waiters: Set<UpdateSeq>;
  /** Why it is blocked, for people. */
  blockedBy: string | null;
  /** It is blocked until its volume has room (log/held-back.ts). */
  heldBack: boolean;
  /** By how many bytes it lets its volume grow. */
  grows: number;
  /** Its status in the queue (queue-status.ts; null: the default), and until when its store is delayed. */
  queueStatus: QueueStatus | null;
  delayedUntil: Instant | null;
  /** Somebody elsewhere waits for it (sharing/server-pull.ts), as long as this connection lasts. */
  expedited: boolean;
  /** A store of a file that several devices use (sharing/shared-files.ts). */
  shared: boolean;
  /**
   * It is on its way and announced all the same: so much is sent before it that others learn of it sooner this way (rule S2), or a later message
   * overtakes it (S5).
   */
  isStuck: boolean;
}

/** What is to be logged. */
export interface Draft {
  readonly update: Update;
  readonly content: string | null;
  readonly place: Place | null;
  readonly ancestors: readonly Fid[];
  readonly above: readonly string[];
  readonly movesDirectory: boolean;
  readonly endsVnode: boolean;
  /** null: its own number. */
  readonly rank: UpdateSeq | null;
  readonly renumbered: number;
  readonly queueStatus: QueueStatus | null;
}

/**
 * Keeps the update log as durable rows, with its dependencies, indexes and counts. Sizes are bytes.
 */
export class UpdateLog {
  readonly #out: Outbox;
  readonly #entries = new Map<UpdateSeq, LoggedUpdate>();
  readonly index = new UpdateIndex();
  readonly growth = new LoggedGrowth();
  /** Hears of what comes and goes. */
  readonly hidden = new HiddenUpdates();
  /** Of what is logged from now on; another one in each run of the program, and in each connection. */
  name: UpdateNonce | null = null;
  #lastSeq = 0;
  #loggedBefore = 0;
  #unanswered = 0;
  #dirtyBytes = 0;

  constructor(out: Outbox) {
    this.#out = out;
  }

  /** Rows in the order of their numbers. `lastSeq`: the highest number ever given. */
  load(rows: Iterable<UpdateRow>, lastSeq: number): void {
    for (const row of rows) {
      const { standing, ...rest } = row;
      const queueStatus = standing === null ? null : loadedStatus(standing);
      this.#enter({
        ...rest,
        queueStatus,
        state: row.answer === null ? 'queued' : 'answered',
        fresh: false,
      });
      this.#lastSeq = row.seq;
    }
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq);
  }

  get lastSeq(): UpdateSeq {
    return this.#lastSeq as UpdateSeq;
  }

  /** How many are not answered. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Contents that the server has not confirmed. */
  get dirtyBytes(): number {
    return this.#dirtyBytes;
  }

  get(seq: UpdateSeq): LoggedUpdate | undefined {
    return this.#entries.get(seq);
  }

  /** In the order of their numbers. */
  all(): IterableIterator<LoggedUpdate> {
    return this.#entries.values();
  }

  append(draft: Draft): LoggedUpdate {
    this.#lastSeq += 1;
    const seq = this.#lastSeq as UpdateSeq;
    const entry = this.#enter({
      ...draft,
      seq,
      name: this.name,
      rank: draft.rank ?? seq,
      state: 'queued',
      fresh: true,
      answer: null,
    });
    this.hidden.fresh.add(seq);
    this.#out.put('meta', 'last-seq', seq);
    this.#write(entry);
    return entry;
  }

  /** A `fresh` update takes in a later one (supersession). Dependencies stay: they were the earlier one's. */
  amend(entry: LoggedUpdate, update: Update, content: string | null): void {
    this.#dirtyBytes += bytesOf(update) - bytesOf(entry.update);
    entry.update = update;
    entry.content = content;
    if (entry.name !== null) entry.name = nameAfter(entry.name);
    this.#write(entry);
  }

  /** Whether a person wants it sent now: it goes before earlier updates. */
  isUrgent(seq: UpdateSeq): boolean {
    return (this.#entries.get(seq)?.queueStatus?.priority ?? 0) < 0;
  }

  /** It was logged as the device before (session/pair-again.ts): the other copy may have given its fid to something else. */
  mayBeACopys({ rank }: LoggedUpdate): boolean {
    return rank <= this.#loggedBefore;
  }

  /** What goes by this number, and by those before it, was logged as another device. */
  pairedAfter(rank: number): void {
    this.#loggedBefore = rank;
  }

  /** Sets the status of an update in the queue, durably; null: the default. */
  setQueueStatus(entry: LoggedUpdate, queueStatus: QueueStatus | null): void {
    entry.queueStatus = queueStatus;
    this.#write(entry);
  }

  /** What an update takes of its volume counts until it is answered; what was answered, or is held back, does not. */
  measure(entry: LoggedUpdate, grows: number): void {
    entry.grows = grows;
    if (entry.state !== 'answered' && !entry.heldBack) {
      this.growth.put(entry.seq, entry.volume, grows);
    }
  }

  /** The update is committed. Returns the updates that waited for it. */
  answered(entry: LoggedUpdate, answer: NonNullable<LoggedUpdate['answer']>): LoggedUpdate[] {
    entry.state = 'answered';
    entry.answer = answer;
    this.#unanswered -= 1;
    this.#dirtyBytes -= bytesOf(entry.update);
    this.index.answered(entry);
    this.hidden.left(entry.update);
    this.growth.drop(entry.seq);
    this.#write(entry);
    return this.#letGo(entry);
  }

  /** Removes an update that is settled or refused. Returns the updates that waited for it. */
  remove(entry: LoggedUpdate): LoggedUpdate[] {
    this.#entries.delete(entry.seq);
    this.index.remove(entry);
    this.growth.drop(entry.seq);
    if (entry.state !== 'answered') {
      this.#unanswered -= 1;
      this.#dirtyBytes -= bytesOf(entry.update);
      this.hidden.left(entry.update);
    }
    this.#out.drop('update', entry.seq);
    for (const seq of entry.waitsFor) this.#entries.get(seq)?.waiters.delete(entry.seq);
    return this.#letGo(entry);
  }

  /** The server knows the vnode now: hidden updates of it, or of entries in it, can be reported. */
  becameKnown(fid: Fid): void {
    for (const { seq, state } of [...this.index.onVnode(fid), ...this.index.inDirectory(fid)]) {
      if (state !== 'answered') this.hidden.fresh.add(seq);
    }
  }

  /** It waits for an earlier one too, which nothing made it depend on when it was logged; for this run of the program. */
  waitAlso(entry: LoggedUpdate, earlier: LoggedUpdate): void {
    entry.waitsFor.add(earlier.seq);
    earlier.waiters.add(entry.seq);
  }

  /** Everything that waits for it, directly or not, in the order of numbers. */
  dependents(entry: LoggedUpdate): LoggedUpdate[] {
    const found = new Set<LoggedUpdate>();
    const open = [entry];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const seq of next.waiters) {
        const waiter = present(this.#entries.get(seq), 'a waiter is in the log', { seq });
        if (!found.has(waiter)) open.push(waiter);
        found.add(waiter);
      }
    }
    return [...found].sort((a, b) => a.seq - b.seq);
  }

  /** Everything that it waits for, directly or not, in the order of numbers. */
  prerequisites(entry: LoggedUpdate): LoggedUpdate[] {
    const found = new Set<LoggedUpdate>();
    const open = [entry];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const seq of next.waitsFor) {
        const earlier = present(this.#entries.get(seq), 'what is waited for is in the log', {
          seq,
        });
        if (!found.has(earlier)) open.push(earlier);
        found.add(earlier);
      }
    }
    return [...found].sort((a, b) => a.seq - b.seq);
  }

  #letGo(entry: LoggedUpdate): LoggedUpdate[] {
    const freed: LoggedUpdate[] = [];
    for (const seq of entry.waiters) {
      const waiter = present(this.#entries.get(seq), 'a waiter is in the log', { seq });
      waiter.waitsFor.delete(entry.seq);
      // Other devices may not have known the vnodes that it changes.
      this.hidden.fresh.add(waiter.seq);
      freed.push(waiter);
    }
    entry.waiters.clear();
    return freed;
  }

  #enter(
    row: Omit<UpdateRow, 'standing'> & {
      readonly queueStatus: QueueStatus | null;
      readonly state: UpdateState;
      readonly fresh: boolean;
    },
  ): LoggedUpdate {
    const dependencies =
      row.state === 'answered' ? [] : dependenciesOf(row.update, row.movesDirectory, this.index);
    const entry: LoggedUpdate = {
      ...row,
      volume: volumeOf(row.update.fid),
      waitsFor: new Set(dependencies.map((d) => d.seq)),
      waiters: new Set(),
      blockedBy: null,
      heldBack: false,
      grows: 0,
      delayedUntil: null,
      expedited: false,
      shared: false,
      isStuck: false,
    };
    for (const dependency of dependencies) dependency.waiters.add(entry.seq);
    this.#entries.set(entry.seq, entry);
    this.index.add(entry);
    if (entry.state === 'answered') this.index.answered(entry);
    else {
      this.#unanswered += 1;
      this.#dirtyBytes += bytesOf(entry.update);
    }
    return entry;
  }

  #write(entry: LoggedUpdate): void {
    this.#out.put('update', entry.seq, {
      seq: entry.seq,
      name: entry.name,
      update: entry.update,
      content: entry.content,
      place: entry.place,
      ancestors: entry.ancestors,
      above: entry.above,
      movesDirectory: entry.movesDirectory,
      endsVnode: entry.endsVnode,
      rank: entry.rank,
      renumbered: entry.renumbered,
      standing: entry.queueStatus === null ? null : storedStatus(entry.queueStatus),
      answer: entry.answer,
    });
  }
}

const storedStatus = ({ priority, isCancelled, written }: QueueStatus): StoredQueueStatus => ({
  ...{ turn: priority, aside: isCancelled, written },
});

const loadedStatus = ({ turn, aside, written }: StoredQueueStatus): QueueStatus => ({
  ...{ priority: turn, isCancelled: aside, written },
});

const bytesOf = (update: Update): number => (update.op === 'store' ? update.size : 0);
