/** The queue as people see it: a page of a listing (queue-listing.ts), each update as it is now. */
import { pathQueueOf } from './path-queue.ts';
import type {
  PathQueue,
  QueueEntry,
  QueueEntryState,
  QueueReport,
} from '../../../shared/control/queue.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { elapsed, wallTime, type Instant } from '../../../shared/model/time.ts';
import { isoTime } from '../../../shared/model/conflict-name.ts';
import type { ClientState } from '../state.ts';
import { heldByNetwork, type HeldByNetwork } from '../network/update-bulk-gate.ts';
import { standstill } from './estimates.ts';
import { sentBytes, type ListingPart, type QueueListing } from './queue-listing.ts';
import { findQueuedAt, queuePath } from './queue-path.ts';
import { isCancelled } from './queue-status.ts';
import type { LoggedUpdate } from './update-log.ts';
import { lastStore } from './view.ts';
import { classOf } from './update-size.ts';

/** The entries of a part of a listing that are queued still. `listing` must have that part (`advance`). */
export function queuePage(
  state: ClientState,
  listing: QueueListing,
  part: ListingPart,
): QueueReport {
  const placed = listing.part(part);
  const sent = sentBytes(state);
  const why = standstill(state);
  const entries: QueueEntry[] = [];
  for (const { entry, seconds } of placed) {
    if (entry.state === 'answered' || state.log.get(entry.seq) !== entry) continue;
    entries.push(shown(state, entry, sent.get(entry.seq) ?? 0, why === null ? seconds : null));
  }
  const total = listing.total(part.of);
  const end = part.from + placed.length;
  return { total, entries, why, listing: listing.number, next: end < total ? end : null };
}

/** All that is queued of a path, as one. A step is a look at some of the log. */
export function* pathQueue(
  state: ClientState,
  volume: VolumeId,
  path: readonly string[],
): Generator<void, PathQueue> {
  const found = yield* findQueuedAt(state, volume, path);
  const sent = sentBytes(state);
  return pathQueueOf(
    found
      .filter((entry) => entry.state !== 'answered' && state.log.get(entry.seq) === entry)
      .map((entry) => ({
        kind: entry.update.op,
        bytes: bytesOf(entry),
        sentBytes: sent.get(entry.seq) ?? 0,
        state: stateOf(entry),
        reason: entry.blockedBy,
      })),
  );
}

const bytesOf = ({ update }: LoggedUpdate): number => (update.op === 'store' ? update.size : 0);

/** A new file goes before its contents: a person wants to know how long those are. */
function contentsOf(
  state: ClientState,
  { update }: LoggedUpdate,
): Pick<QueueEntry, 'contentBytes'> {
  if (update.op !== 'create') return {};
  const store = lastStore(state, update.fid);
  if (store === undefined || store.state === 'answered') return {};
  return { contentBytes: bytesOf(store) };
}

function shown(
  state: ClientState,
  entry: LoggedUpdate,
  sent: number,
  seconds: number | null,
): QueueEntry {
  const { update, seq, waitsFor, blockedBy, delayedUntil, queueStatus } = entry;
  const turn = queueStatus?.priority ?? 0;
  const mayWait = update.op === 'store' && stateOf(entry) === 'ready';
  const held = mayWait ? heldByNetwork(state, seq) : null;
  const until = held === null ? delayedAt(state, delayedUntil) : untilText(held);
  return {
    number: seq,
    volume: state.names.volumes.get(entry.volume)?.row.info.name ?? String(entry.volume),
    path: queuePath(state, entry),
    kind: update.op,
    priorityClass: classOf(entry),
    bytes: bytesOf(entry),
    ...contentsOf(state, entry),
    sentBytes: sent,
    state: held === null ? stateOf(entry) : 'delayed',
    turn: turn === 0 ? null : turn < 0 ? 'now' : 'later',
    waitsFor: [...waitsFor].sort((a, b) => a - b),
    reason: held?.why ?? blockedBy,
    until,
    seconds: seconds === null || held !== null ? null : Math.ceil(seconds),
  };
}

function delayedAt(state: ClientState, at: Instant | null): string | null {
  return at === null ? null : isoTime(wallTime(state.now.wall + elapsed(state.now.at, at)));
}

const untilText = ({ until }: HeldByNetwork): string | null =>
  until === null ? null : isoTime(until);

function stateOf(entry: LoggedUpdate): QueueEntryState {
  if (entry.state === 'sent') return 'on its way';
  if (isCancelled(entry)) return 'cancelled';
  if (entry.state === 'blocked') return entry.heldBack ? 'held back' : 'blocked';
  if (entry.waitsFor.size > 0 || entry.state === 'stalled') return 'waiting';
  return entry.delayedUntil === null ? 'ready' : 'delayed';
}
