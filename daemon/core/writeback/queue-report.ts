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

/**
 * `most`: entries, the first of them at the place `from`; the rest is counted only, and not planned, for a queue may be long and the daemon has
 * more to do. `of`: one of the queues; null: both.
 */
export function queueReport(
  state: ClientState,
  most: number,
  from: number,
  of: QueueName | null,
): QueueReport {
  const isAsked = (entry: LoggedUpdate): boolean => of === null || queueOf(entry) === of;
  const open = [...state.log.all()].filter((entry) => entry.state !== 'answered');
  const before: LoggedUpdate[] = [];
  const asked: LoggedUpdate[] = [];
  for (const entry of planned(state, open)) {
    before.push(entry);
    if (isAsked(entry)) asked.push(entry);
    if (asked.length >= from + most) break;
  }
  const sent = sentBytes(state);
  const seconds = estimated(state, before, sent);
  const entries = asked
    .slice(from)
    .map((entry) => shown(state, entry, sent.get(entry.seq) ?? 0, seconds.get(entry.seq) ?? null));
  const total = of === null ? open.length : open.filter(isAsked).length;
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
  const free = new Heap<LoggedUpdate>(firstToGo);
  for (const entry of open) {
    waits.set(entry.seq, entry.waitsFor.size);
    if (entry.waitsFor.size === 0 && !isKept(entry)) free.push(entry);
  }
  const going = new Set<LoggedUpdate>();
  for (let next = free.pop(); next !== undefined; next = free.pop()) {
    going.add(next);
    yield next;
    for (const seq of next.waiters) {
      const waiter = state.log.get(seq);
      const left = (waits.get(seq) ?? 1) - 1;
      waits.set(seq, left);
      if (left === 0 && waiter !== undefined && !isKept(waiter)) free.push(waiter);
    }
  }
  for (const entry of open) if (!going.has(entry)) yield entry;
}

const isKept = (entry: LoggedUpdate): boolean => entry.state === 'blocked';

function firstToGo(a: LoggedUpdate, b: LoggedUpdate): number {
  const underWay = Number(b.state === 'sent') - Number(a.state === 'sent');
  const delayed = (a.delayedUntil ?? 0) - (b.delayedUntil ?? 0);
  return underWay || delayed || urgency(classOf(a)) - urgency(classOf(b)) || inTurn(a, b);
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
