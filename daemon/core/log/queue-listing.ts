/**
 * One picture of the queue: every update that was not committed when it was taken, in the order in which they were to go, with what each
 * waits for and how long that takes. What is on its way goes first, then by class and turn what all before it lets go. What can not be sent
 * by itself, and what waits for it, comes last.
 *
 * A queue may be long, so the picture is made in steps, between which other things happen.
 *
 * Invariants
 * 1. An update has one place that never changes: a reader of the parts meets none twice, and misses none that stays queued meanwhile.
 * 2. What decides the order is taken down when an update is met; what happens to it afterwards moves nothing here.
 * 3. An update waits for earlier ones only (update-log.ts), which are met before it: none that it waited for then is missing here.
 */
import type { QueueName } from '../../../shared/control/queue.ts';
import { urgency } from '../../../shared/model/priority-class.ts';
import { elapsed, type Instant } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { NearlySortedQueue } from '../../../shared/util/nearly-sorted-queue.ts';
import type { ClientState } from '../state.ts';
import { standstill } from './estimates.ts';
import { inTurn, type SendOrder } from './ready-queue.ts';
import type { LoggedUpdate } from './update-log.ts';
import { classOf, sizeOf } from './update-size.ts';

/** An update at its place. */
export interface EstimatedUpdate {
  readonly entry: LoggedUpdate;
  /** Seconds until it is committed, as estimated when the page was made; null: no estimate. */
  readonly seconds: number | null;
}

/** A part of one of the queues; `of` null: of both. */
export interface ListingPart {
  readonly from: number;
  readonly most: number;
  readonly of: QueueName | null;
}

const queueOf = ({ update }: LoggedUpdate): QueueName =>
  update.op === 'store' ? 'data' : 'metadata';

/** Bytes of stores on their way that the server has acknowledged. */
export function sentBytes(state: ClientState): Map<UpdateSeq, number> {
  const sent = new Map<UpdateSeq, number>();
  for (const { purpose, sentBytes: bytes } of state.requests.values()) {
    if (purpose.for === 'store') sent.set(purpose.seq, Math.min(bytes, purpose.bytes));
  }
  return sent;
}

/**
 * Makes one picture of the queue, a bounded number of steps at a time, and hands it out in parts.
 */
export class QueueListing {
  readonly number: number;
  readonly #both: EstimatedUpdate[] = [];
  readonly #queues: Record<QueueName, EstimatedUpdate[]> = { metadata: [], data: [] };
  readonly #counts: Record<QueueName, number> = { metadata: 0, data: 0 };
  readonly #steps: Generator<void, void, undefined>;
  /** All are met. */
  #isCounted = false;
  #isWhole = false;

  constructor(state: ClientState, number: number) {
    this.number = number;
    this.#steps = this.#made(state);
  }

  /** How many there are; when the part is there. */
  total(of: QueueName | null): number {
    const { metadata, data } = this.#counts;
    return of === null ? metadata + data : this.#counts[of];
  }

  /** Goes on for so many steps at most. True: the part is there, as far as there is so much. */
  advance(steps: number, { from, most, of }: ListingPart): boolean {
    const list = this.#listOf(of);
    for (let left = steps; !this.#isWhole; left -= 1) {
      if (this.#isCounted && list.length >= from + most) return true;
      if (left === 0) return false;
      this.#isWhole = this.#steps.next().done === true;
    }
    return true;
  }

  part({ from, most, of }: ListingPart): readonly EstimatedUpdate[] {
    return this.#listOf(of).slice(from, from + most);
  }

  #listOf(of: QueueName | null): EstimatedUpdate[] {
    return of === null ? this.#both : this.#queues[of];
  }

  *#made(state: ClientState): Generator<void, void, undefined> {
    const met = new Map<UpdateSeq, ListedUpdate>();
    const free = new NearlySortedQueue<ListedUpdate>(firstToGo);
    for (const entry of state.log.all()) {
      if (entry.state === 'answered') continue;
      const each = new ListedUpdate(entry, met);
      met.set(entry.seq, each);
      this.#counts[queueOf(entry)] += 1;
      if (each.left === 0 && !each.isKept) free.push(each);
      yield;
    }
    this.#isCounted = true;
    const estimate = new Estimate(state);
    for (let next = free.pop(); next !== undefined; next = free.pop()) {
      const seconds = estimate.of(next);
      this.#place(next, seconds);
      yield;
      for (const waiter of next.waiters) {
        waiter.left -= 1;
        if (seconds === null) waiter.isTold = false;
        else waiter.after = Math.max(waiter.after, seconds);
        if (waiter.left === 0 && !waiter.isKept) free.push(waiter);
        yield;
      }
    }
    for (const each of met.values()) {
      if (!each.isPlaced) this.#place(each, null);
      yield;
    }
  }

  #place(each: ListedUpdate, seconds: number | null): void {
    each.isPlaced = true;
    const placed = { entry: each.entry, seconds };
    this.#both.push(placed);
    this.#queues[queueOf(each.entry)].push(placed);
  }
}

/** An update as it was when it was met: a class, since there are very many. */
class ListedUpdate implements SendOrder {
  readonly entry: LoggedUpdate;
  readonly seq: UpdateSeq;
  readonly expedited: boolean;
  readonly queueStatus: LoggedUpdate['queueStatus'];
  readonly shared: boolean;
  readonly sent: number;
  readonly delayed: number;
  readonly urgency: number;
  /** It is not sent by itself. */
  readonly isKept: boolean;
  waiters: readonly ListedUpdate[] = NOBODY;
  /** How many that it waits for have no place yet. */
  left = 0;
  /** Seconds until the updates with an estimate are sent; complete if `isTold`. */
  after = 0;
  isTold = true;
  isPlaced = false;

  constructor(entry: LoggedUpdate, met: ReadonlyMap<UpdateSeq, ListedUpdate>) {
    this.entry = entry;
    this.seq = entry.seq;
    this.expedited = entry.expedited;
    this.queueStatus = entry.queueStatus;
    this.shared = entry.shared;
    this.sent = Number(entry.state === 'sent');
    this.delayed = entry.delayedUntil ?? 0;
    this.urgency = urgency(classOf(entry));
    this.isKept = entry.state === 'blocked';
    for (const earlier of entry.waitsFor) {
      const other = met.get(earlier);
      if (other === undefined) continue;
      if (other.waiters === NOBODY) other.waiters = [this];
      else (other.waiters as ListedUpdate[]).push(this);
      this.left += 1;
    }
  }
}

/** Most are waited for by nobody. */
const NOBODY: readonly ListedUpdate[] = [];

function firstToGo(a: ListedUpdate, b: ListedUpdate): number {
  return b.sent - a.sent || a.delayed - b.delayed || a.urgency - b.urgency || inTurn(a, b);
}

/** Seconds until each is through, asked in the order in which they go: when its queue has come to it, and what it waits for is there. */
class Estimate {
  readonly #sent: ReadonlyMap<UpdateSeq, number>;
  readonly #rates: Readonly<Record<QueueName, number | null>>;
  readonly #now: Instant;
  readonly #busyFor: Record<QueueName, number> = { metadata: 0, data: 0 };

  constructor(state: ClientState) {
    const stands = standstill(state) !== null;
    const rateOf = (name: QueueName): number | null => {
      const rate = stands ? null : state.queue.rates[name].at(state.now.at);
      return rate === null || rate < 1 ? null : rate;
    };
    this.#sent = sentBytes(state);
    this.#rates = { metadata: rateOf('metadata'), data: rateOf('data') };
    this.#now = state.now.at;
  }

  /** Seconds until the update is committed; null: no estimate. */
  of({ entry, after, isTold }: ListedUpdate): number | null {
    const queue = queueOf(entry);
    const rate = this.#rates[queue];
    if (rate === null) return null;
    const bytes = entry.update.op === 'store' ? entry.update.size : sizeOf(entry);
    const own = Math.max(bytes - (this.#sent.get(entry.seq) ?? 0), 0) / rate;
    const { delayedUntil } = entry;
    const delay = delayedUntil === null ? 0 : elapsed(this.#now, delayedUntil) / 1000;
    this.#busyFor[queue] += own;
    return isTold ? Math.max(this.#busyFor[queue], Math.max(after, delay) + own) : null;
  }
}
