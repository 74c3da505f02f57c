/**
 * The queue as people see it: every update that is not committed, in the order in which they go, with what each waits for and how
 * long that takes.
 *
 * The order is planned as it will be carried out: what is on its way, then by class and turn what all before it lets go. What can not
 * be sent by itself, and what waits for it, comes last.
 */
import type {
  QueueEntry,
  QueueEntryState,
  QueueName,
  QueueReport,
} from '../../../shared/control/queue.ts';
import { urgency } from '../../../shared/model/priority-class.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { elapsed, wallTime, type Instant } from '../../../shared/model/time.ts';
import { Heap } from '../../../shared/util/heap.ts';
import { shownTime } from '../conflict/conflict-name.ts';
import type { ClientState } from '../state.ts';
import { standstill } from './estimates.ts';
import { queuePath } from './queue-path.ts';
import { inTurn } from './ready-queue.ts';
import { isAside } from './standing.ts';
import type { LoggedUpdate } from './update-log.ts';
import { classOf, sizeOf } from './update-size.ts';

/** The order in which updates go, planned as far as somebody has asked; it holds until the next event. */
export class QueuePlan {
  readonly open: readonly LoggedUpdate[];
  /** As far as it is planned. */
  readonly order: LoggedUpdate[] = [];
  readonly #rest: Generator<LoggedUpdate, void, undefined>;

  constructor(state: ClientState) {
    this.open = [...state.log.all()].filter((entry) => entry.state !== 'answered');
    this.#rest = planned(state, this.open);
  }

  /** The update at that place of the order; undefined: there are not so many. */
  at(place: number): LoggedUpdate | undefined {
    while (this.order.length <= place) {
      const next = this.#rest.next();
      if (next.done === true) return undefined;
      this.order.push(next.value);
    }
    return this.order[place];
  }
}

/** `most`: entries, the first of them at the place `from`. `of`: one of the queues; null: both. */
export interface AskedOfQueue {
  readonly most: number;
  readonly from: number;
  readonly of: QueueName | null;
}

/** The rest is counted only, and not planned, for a queue may be long and the daemon has more to do. */
export function queueReport(
  state: ClientState,
  plan: QueuePlan,
  { most, from, of }: AskedOfQueue,
): QueueReport {
  const isAsked = (entry: LoggedUpdate): boolean => of === null || queueOf(entry) === of;
  const asked: LoggedUpdate[] = [];
  let looked = 0;
  for (; asked.length < from + most; looked += 1) {
    const entry = plan.at(looked);
    if (entry === undefined) break;
    if (isAsked(entry)) asked.push(entry);
  }
  const sent = sentBytes(state);
  const seconds = estimated(state, plan.order.slice(0, looked), sent);
  const entries = asked
    .slice(from)
    .map((entry) => shown(state, entry, sent.get(entry.seq) ?? 0, seconds.get(entry.seq) ?? null));
  const total = of === null ? plan.open.length : plan.open.filter(isAsked).length;
  return { total, entries, why: standstill(state) };
}

const queueOf = ({ update }: LoggedUpdate): QueueName =>
  update.op === 'store' ? 'data' : 'metadata';

/** As far as somebody asks. */
function* planned(
  state: ClientState,
  open: readonly LoggedUpdate[],
): Generator<LoggedUpdate, void, undefined> {
  const waits = new Map<UpdateSeq, number>();
  const free = new Heap<Ranked>(firstToGo);
  for (const entry of open) {
    if (entry.waitsFor.size > 0) waits.set(entry.seq, entry.waitsFor.size);
    else if (!isKept(entry)) free.push(ranked(entry));
  }
  const going = new Set<LoggedUpdate>();
  for (let first = free.pop(); first !== undefined; first = free.pop()) {
    const next = first.entry;
    going.add(next);
    yield next;
    for (const seq of next.waiters) {
      const waiter = state.log.get(seq);
      const left = (waits.get(seq) ?? 1) - 1;
      waits.set(seq, left);
      if (left === 0 && waiter !== undefined && !isKept(waiter)) free.push(ranked(waiter));
    }
  }
  for (const entry of open) if (!going.has(entry)) yield entry;
}

const isKept = (entry: LoggedUpdate): boolean => entry.state === 'blocked';

/** What decides is looked up once for each: a heap of a hundred thousand compares some millions of times. */
interface Ranked {
  readonly entry: LoggedUpdate;
  readonly sent: number;
  readonly delayed: number;
  readonly urgency: number;
}

const ranked = (entry: LoggedUpdate): Ranked => ({
  entry,
  sent: Number(entry.state === 'sent'),
  delayed: entry.delayedUntil ?? 0,
  urgency: urgency(classOf(entry)),
});

function firstToGo(a: Ranked, b: Ranked): number {
  return (
    b.sent - a.sent || a.delayed - b.delayed || a.urgency - b.urgency || inTurn(a.entry, b.entry)
  );
}

function sentBytes(state: ClientState): Map<UpdateSeq, number> {
  const sent = new Map<UpdateSeq, number>();
  for (const { purpose, sentBytes: bytes } of state.requests.values()) {
    if (purpose.for === 'store') sent.set(purpose.seq, Math.min(bytes, purpose.bytes));
  }
  return sent;
}

/** Seconds until each is through: when its queue has come to it, and what it waits for is there. */
function estimated(
  state: ClientState,
  plan: readonly LoggedUpdate[],
  sent: ReadonlyMap<UpdateSeq, number>,
): Map<UpdateSeq, number> {
  const through = new Map<UpdateSeq, number>();
  if (standstill(state) !== null) return through;
  const busyFor: Record<QueueName, number> = { metadata: 0, data: 0 };
  const { now } = state;
  for (const entry of plan) {
    const queue = queueOf(entry);
    const rate = state.rates[queue].at(now.at);
    if (isKept(entry) || rate === null || rate < 1) continue;
    const bytes = entry.update.op === 'store' ? entry.update.size : sizeOf(entry);
    const own = Math.max(bytes - (sent.get(entry.seq) ?? 0), 0) / rate;
    const delay = entry.delayedUntil === null ? 0 : elapsed(now.at, entry.delayedUntil) / 1000;
    let from = delay;
    let isTold = true;
    for (const seq of entry.waitsFor) {
      const before = through.get(seq);
      isTold &&= before !== undefined;
      from = Math.max(from, before ?? 0);
    }
    busyFor[queue] += own;
    if (isTold) through.set(entry.seq, Math.max(busyFor[queue], from + own));
  }
  return through;
}

function shown(
  state: ClientState,
  entry: LoggedUpdate,
  sent: number,
  seconds: number | null,
): QueueEntry {
  const { update, seq, waitsFor, blockedBy, delayedUntil, standing } = entry;
  const turn = standing?.turn ?? 0;
  return {
    number: seq,
    volume: state.volumes.get(entry.volume)?.row.info.name ?? String(entry.volume),
    path: queuePath(state, entry),
    kind: update.op,
    priorityClass: classOf(entry),
    bytes: update.op === 'store' ? update.size : 0,
    sentBytes: sent,
    state: stateOf(entry),
    turn: turn === 0 ? null : turn < 0 ? 'now' : 'later',
    waitsFor: [...waitsFor].sort((a, b) => a - b),
    reason: blockedBy,
    until: delayedUntil === null ? null : isoTime(state, delayedUntil),
    seconds: seconds === null ? null : Math.ceil(seconds),
  };
}

function isoTime(state: ClientState, at: Instant): string {
  const wall = wallTime(state.now.wall + elapsed(state.now.at, at));
  return `${shownTime(wall).replace(' ', 'T').replaceAll('.', ':')}Z`;
}

function stateOf(entry: LoggedUpdate): QueueEntryState {
  if (entry.state === 'sent') return 'on its way';
  if (isAside(entry)) return 'cancelled';
  if (entry.state === 'blocked') return entry.heldBack ? 'held back' : 'blocked';
  if (entry.waitsFor.size > 0 || entry.state === 'stalled') return 'waiting';
  return entry.delayedUntil === null ? 'ready' : 'delayed';
}
