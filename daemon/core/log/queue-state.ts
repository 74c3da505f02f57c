/**
 * What is sent of the log and what holds it back: lists of the updates that may go out, those on their way, and the orders of a person. Nothing of it
 * is durable but through the log (queue-status.ts) and the settings (policy.ts).
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import { DEFAULT_WRITEBACK, type WritebackSettings } from '../../../shared/model/writeback.ts';
import { RateEstimate } from '../../../shared/util/rate-estimate.ts';
import { RATE_LEAST, RATE_MEMORY } from '../../limits.ts';
import { Allowance } from './allowance.ts';
import { FlushList } from './flush-list.ts';
import { ReadyQueue } from './ready-queue.ts';
import { StoreWindow } from './store-window.ts';
import type { UpdateLog } from './update-log.ts';

interface Unshown {
  readonly volume: VolumeId;
  readonly commit: CommitNumber;
  readonly content: string;
}

/** Holds the two queues of writeback (MFS), what of them is in flight, delays, and flushes. */
export class QueueState {
  readonly metadata: ReadyQueue;
  readonly data: ReadyQueue;
  /** Of those in the data queue, small files that are new: they may go before large ones (newcomers.ts). */
  readonly newcomers: ReadyQueue;
  readonly allowance = new Allowance();
  readonly window = new StoreWindow();
  readonly rates = {
    metadata: new RateEstimate(RATE_MEMORY, RATE_LEAST),
    data: new RateEstimate(RATE_MEMORY, RATE_LEAST),
  };
  readonly flushes = new FlushList();
  readonly #delayed = new Set<UpdateSeq>();
  readonly #cancelled = new Set<UpdateSeq>();
  readonly #alone = new Set<UpdateSeq>();
  readonly #renumbered = new Map<UpdateSeq, UpdateSeq>();
  #unshown: Unshown[] = [];
  #settings: WritebackSettings = DEFAULT_WRITEBACK;
  #marked = 0;
  #batches = 0;
  #stores = 0;
  #storeBytes = 0;

  constructor(log: UpdateLog) {
    this.metadata = new ReadyQueue(log);
    this.data = new ReadyQueue(log);
    this.newcomers = new ReadyQueue(log);
  }

  /** How what is logged is sent. */
  get settings(): WritebackSettings {
    return this.#settings;
  }

  use(settings: WritebackSettings): void {
    this.#settings = settings;
  }

  get batchesInFlight(): number {
    return this.#batches;
  }

  batchSent(): void {
    this.#batches += 1;
  }

  batchEnded(): void {
    this.#batches -= 1;
  }

  /** One of them the server could not read, with all that came with it: each goes by itself, once. */
  sendAlone(seqs: readonly UpdateSeq[]): void {
    for (const seq of seqs) this.#alone.add(seq);
  }

  goesAlone(seq: UpdateSeq): boolean {
    return this.#alone.has(seq);
  }

  wentAlone(seq: UpdateSeq): void {
    this.#alone.delete(seq);
  }

  get storesInFlight(): number {
    return this.#stores;
  }

  /** Of their contents. */
  get storeBytesInFlight(): number {
    return this.#storeBytes;
  }

  storeSent(bytes: number): void {
    this.#stores += 1;
    this.#storeBytes += bytes;
  }

  storeEnded(bytes: number): void {
    this.#stores -= 1;
    this.#storeBytes -= bytes;
  }

  /** A store waits for its delay. */
  delay(seq: UpdateSeq): void {
    this.#delayed.add(seq);
  }

  endDelay(seq: UpdateSeq): void {
    this.#delayed.delete(seq);
  }

  /** Stores that wait for their delay; some may be gone by now. */
  delayed(): UpdateSeq[] {
    return [...this.#delayed];
  }

  get delayedCount(): number {
    return this.#delayed.size;
  }

  /** A person has taken it out of the queue. */
  cancel(seq: UpdateSeq): void {
    this.#cancelled.add(seq);
  }

  takeBack(seq: UpdateSeq): void {
    this.#cancelled.delete(seq);
  }

  /** Whether something was taken out; it may be gone by now. */
  get hasCancelled(): boolean {
    return this.#cancelled.size > 0;
  }

  /** It leaves the log. */
  forget(seq: UpdateSeq): void {
    this.#cancelled.delete(seq);
    this.#delayed.delete(seq);
  }

  /** It is on its way under a number that it has no more: its request names `lowest` and what comes after (W4). */
  renumberedInFlight(seq: UpdateSeq, lowest: UpdateSeq): void {
    this.#renumbered.set(seq, lowest);
  }

  /** Its request has ended. */
  landed(seq: UpdateSeq): void {
    this.#renumbered.delete(seq);
  }

  allLanded(): void {
    this.#renumbered.clear();
  }

  /** The numbers that are on their way and nothing in the log has any more, each with the lowest that its request names. */
  get renumbered(): ReadonlyMap<UpdateSeq, UpdateSeq> {
    return this.#renumbered;
  }

  /** The highest store that was perhaps sent and got another number: the server marks its file until the low water passes it. 0: none. */
  get marked(): number {
    return this.#marked;
  }

  mark(seq: number): void {
    this.#marked = Math.max(this.#marked, seq);
  }

  /** Notes that this low water was sent: marks below it have ended. */
  passed(water: UpdateSeq): void {
    if (water > this.#marked) this.#marked = 0;
  }

  /** Contents of a committed store, until the front end has shown the commit. */
  keepUntilShown(unshown: Unshown): void {
    this.#unshown.push(unshown);
  }

  get unshown(): readonly Unshown[] {
    return this.#unshown;
  }

  /** The contents of what is shown now. */
  takeShown(volume: VolumeId, applied: CommitNumber): string[] {
    const isShown = (each: Unshown): boolean => each.volume === volume && each.commit <= applied;
    const shown = this.#unshown.filter(isShown);
    this.#unshown = this.#unshown.filter((each) => !isShown(each));
    return shown.map(({ content }) => content);
  }
}
