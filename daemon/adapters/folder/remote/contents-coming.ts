/**
 * Contents that rows of the feed wait for. They come side by side, and each is put in place when it is here, whatever was committed before it: a small
 * save does not wait for what is large. What depends on it waits among the held rows.
 *
 * Invariants
 * 1. Of a vnode one version is on its way at a time. It is put in place when it is here, also where the feed has told of a later one
 *    meanwhile: that is told against it, and who saves again and again never keeps others from seeing something new.
 * 2. What is short and what is long have places of their own (`shortBytes`): neither is begun later for the other.
 * 3. What is wanted while the version before is being put in place is not forgotten: the plan that wants it may be made after the one that did not,
 *    and before that has told so.
 * 4. What is here is `come` when nothing of its vnode is wanted any more and that is durable. Until then the position stays before the commit that told of it.
 */
import type { EntryChange } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../../shared/model/vnode.ts';
import { contentsKey } from './contents-ahead.ts';
import type { FolderLimits } from '../folder-limits.ts';

export interface ContentsComingParts {
  readonly limits: Pick<
    FolderLimits,
    'shortBytes' | 'shortComing' | 'longComing' | 'longBytes' | 'mostComing'
  >;
  readonly signal: AbortSignal;
  /** Obtains contents; what can't be had is noted, and not wanted any more. */
  readonly obtain: (status: VnodeStatus) => Promise<void>;
  /** Puts in place what can be, and gives what is wanted now. `isRenamed`: the names that it has by now are those of a later version. */
  readonly place: (status: VnodeStatus, isRenamed: boolean) => Promise<readonly VnodeStatus[]>;
  /** Resolves when what is in place is durable. */
  readonly save: () => Promise<void>;
  /** Something has come, and is not counted any more. */
  readonly came: () => void;
  /** A failure of ours: it is said. Resolves when it is to be tried again. */
  readonly failed: (error: unknown) => Promise<void>;
  /** Runs what nobody waits for, until the folder ends. */
  readonly run: (work: Promise<void>) => void;
}

type Lane = 'short' | 'long';

interface Entry {
  /** The version that is on its way, or is the next to be. */
  status: VnodeStatus;
  /** The position stays there until it has come. */
  before: CommitNumber;
  lane: Lane;
  isRunning: boolean;
  /** A plan has wanted contents of the vnode since it was last looked what is wanted next. */
  isWantedAnew: boolean;
  /** How often it was begun. */
  turn: number;
  /** The feed has given it another name since it has told of a later version. */
  isRenamed: boolean;
  readonly done: PromiseWithResolvers<void>;
}

/** Brings the contents that rows of the feed wait for, and puts each in place on its arrival. */
export class ContentsComing {
  readonly #parts: ContentsComingParts;
  readonly #entries = new Map<Fid, Entry>();
  readonly #queues: Readonly<Record<Lane, Set<Entry>>> = { short: new Set(), long: new Set() };
  readonly #running: Record<Lane, number> = { short: 0, long: 0 };
  #longBytes = 0;
  #roomWanted: (() => void) | null = null;
  #isTold = false;

  constructor(parts: ContentsComingParts) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => this.#end());
  }

  get size(): number {
    return this.#entries.size;
  }

  has(fid: Fid): boolean {
    return this.#entries.has(fid);
  }

  /** Everything that the feed told up to here has come; null: nothing is on its way. */
  get before(): CommitNumber | null {
    let least: CommitNumber | null = null;
    for (const { before } of this.#entries.values()) {
      if (least === null || before < least) least = before;
    }
    return least;
  }

  /** Their contents are wanted, by what the feed told after `before`. */
  want(statuses: readonly VnodeStatus[], before: CommitNumber): void {
    if (this.#parts.signal.aborted) return;
    for (const status of statuses) {
      const known = this.#entries.get(status.fid);
      if (known === undefined) this.#add(status, before);
      else if (known.isRunning) known.isWantedAnew = true;
      else this.#enqueue(known, status);
    }
    this.#begin();
  }

  /** The feed has told of these names. `present`: the version that it has told of last. */
  named(entries: readonly EntryChange[], present: (fid: Fid) => VnodeStatus | null): void {
    for (const { fid } of entries) {
      const entry = fid === null ? undefined : this.#entries.get(fid);
      const status = entry && present(entry.status.fid);
      if (entry === undefined || status === null || status === undefined) continue;
      if (contentsKey(status) !== contentsKey(entry.status)) entry.isRenamed = true;
    }
  }

  /** Resolves when all that is wanted now has come. */
  async come(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ done }) => done.promise));
  }

  /** Resolves when it may be told of more: rows that wait take memory. */
  room(): Promise<void> {
    const { limits, signal } = this.#parts;
    if (this.size < limits.mostComing || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => (this.#roomWanted = resolve));
  }

  #add(status: VnodeStatus, before: CommitNumber): void {
    const entry: Entry = {
      ...{
        status,
        before,
        lane: this.#laneOf(status),
        isRunning: false,
        isWantedAnew: false,
        turn: 0,
        isRenamed: false,
      },
      done: Promise.withResolvers<void>(),
    };
    this.#entries.set(status.fid, entry);
    this.#queues[entry.lane].add(entry);
  }

  /** At the end of its lane, where that is another one than before. */
  #enqueue(entry: Entry, status: VnodeStatus): void {
    this.#queues[entry.lane].delete(entry);
    entry.status = status;
    entry.lane = this.#laneOf(status);
    entry.isRunning = false;
    entry.isRenamed = false;
    this.#queues[entry.lane].add(entry);
  }

  #laneOf({ size }: VnodeStatus): Lane {
    return size <= this.#parts.limits.shortBytes ? 'short' : 'long';
  }

  #begin(): void {
    for (const lane of ['short', 'long'] as const) {
      for (const entry of this.#queues[lane]) {
        if (!this.#hasPlace(entry)) break;
        this.#queues[lane].delete(entry);
        this.#parts.run(this.#bring(entry));
      }
    }
  }

  #hasPlace({ lane, status }: Entry): boolean {
    const { shortComing, longComing, longBytes } = this.#parts.limits;
    if (lane === 'short') return this.#running.short < shortComing;
    if (this.#running.long >= longComing) return false;
    return this.#running.long === 0 || this.#longBytes + status.size <= longBytes;
  }

  async #bring(entry: Entry): Promise<void> {
    entry.isRunning = true;
    entry.turn += 1;
    const { turn } = entry;
    for (;;) {
      const next = await this.#tryOne(entry);
      if (next === 'ended') return;
      // In one step with the look at it: what comes later finds that it does not run.
      if (next === null && !entry.isWantedAnew) break;
      if (next === null) continue;
      entry.isWantedAnew = false;
      if (this.#laneOf(next) !== entry.lane) {
        this.#enqueue(entry, next);
        return this.#begin();
      }
      entry.status = next;
      entry.isRenamed = false;
    }
    entry.isRunning = false;
    this.#begin();
    await this.#settle(entry, turn);
  }

  async #tryOne(entry: Entry): Promise<VnodeStatus | 'ended' | null> {
    const { signal, failed } = this.#parts;
    for (;;) {
      try {
        return await this.#bringOne(entry);
      } catch (error) {
        if (!signal.aborted) await failed(error);
        if (signal.aborted) return 'ended';
      }
    }
  }

  /** Gives what is wanted of the same vnode then. */
  async #bringOne(entry: Entry): Promise<VnodeStatus | null> {
    const { obtain, place } = this.#parts;
    const { status, lane } = entry;
    this.#running[lane] += 1;
    if (lane === 'long') this.#longBytes += status.size;
    try {
      // What it was about was looked at already.
      if (!entry.isWantedAnew) await obtain(status);
      entry.isWantedAnew = false;
      const wanted = await place(status, entry.isRenamed);
      // Names build on each other: those of others may wait for it, and for something else too.
      const others = wanted.filter(({ fid }) => fid !== status.fid);
      if (others.length > 0) this.want(others, entry.before);
      return wanted.find(({ fid }) => fid === status.fid) ?? null;
    } finally {
      this.#running[lane] -= 1;
      if (lane === 'long') this.#longBytes -= status.size;
    }
  }

  /** Unless it was wanted again meanwhile. */
  async #settle(entry: Entry, turn: number): Promise<void> {
    const { signal, limits, came } = this.#parts;
    await this.#saved();
    if (signal.aborted || entry.turn !== turn || this.#queues[entry.lane].has(entry)) return;
    this.#entries.delete(entry.status.fid);
    entry.done.resolve();
    if (this.size < limits.mostComing) this.#letIn();
    if (this.#isTold) return;
    this.#isTold = true;
    // Once for all that became durable together.
    await Promise.resolve();
    this.#isTold = false;
    came();
  }

  async #saved(): Promise<void> {
    const { save, signal, failed } = this.#parts;
    while (!signal.aborted) {
      try {
        return await save();
      } catch (error) {
        if (!signal.aborted) await failed(error);
      }
    }
  }

  #letIn(): void {
    const wanted = this.#roomWanted;
    this.#roomWanted = null;
    wanted?.();
  }

  #end(): void {
    for (const { done } of this.#entries.values()) done.resolve();
    this.#letIn();
  }
}
