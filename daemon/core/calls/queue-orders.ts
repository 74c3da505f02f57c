/**
 * What a person asks of the queue: send this now, later, or not.
 *
 * - `now`: it goes first, with all that it depends on, and without a delay. What was cancelled is taken back by it.
 * - `later`: it goes when everything else that can has gone; a later `later` goes after an earlier one.
 * - `cancel`: it is put aside (queue-status.ts). Nothing is lost by it: the file stays as it is here, and the status lists it as not synced, until
 *   `now` or `later` names it or it changes again. So it is no way to have the server's version back: that is `godwit restore`.
 *
 * A store that is being sent obeys too: it is raised, or its call is ended; the server keeps the part that has arrived, and the next sending goes on
 * there (D3). Metadata on its way is left alone: that takes a moment.
 *
 * Cancelled can be what was surely not sent, and a store: sent before or not, it goes on under another number, so that nobody waits for what a part
 * of it has announced. Was it applied in the moment in which its call was ended, the same contents are no conflict. Metadata that may be applied
 * already has to be heard of. What depends on what is cancelled is not cancelled in silence: it has to be named, or taken along.
 */
import type { QueueOrder, QueueOutcome, QueueTarget } from '../../../shared/control/queue.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { updateSeq } from '../../../shared/model/update.ts';
import { done, refused, type Attempt } from '../waits/attempt-result.ts';
import { giveUp, mayGiveUp } from '../conflict/give-up.ts';
import { logAgain } from '../conflict/resolve.ts';
import type { ClientState } from '../state.ts';
import { standstill } from '../log/estimates.ts';
import { crossedPath } from '../log/mount-points.ts';
import { reorder } from '../log/offer.ts';
import { queuedAt, queuePath } from '../log/queue-path.ts';
import {
  hurry,
  isCancelled,
  markCancelled,
  changeQueueStatus,
  queueStatusOf,
  takeBack,
} from '../log/queue-status.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { callOf, expediteStore } from '../sharing/raise-call.ts';

/**
 * Carries out a person's order about queued updates, and answers with what it changed. Refuses with
 * `not-queued` or `no-such-volume` if nothing matches the target.
 */
export function attemptQueueOrder(state: ClientState, order: QueueOrder): Attempt {
  const found = selected(state, order.target);
  if ('kind' in found) return found;
  const waiting = found.filter((entry) => entry.state !== 'sent' || entry.update.op === 'store');
  const underWay = found.length - waiting.length;
  if (order.act === 'cancel') return cancel(state, found, underWay, order.withDependents);
  const others = order.act === 'now' ? first(state, waiting) : last(state, waiting);
  return done(outcome(state, found, others, underWay));
}

function selected(state: ClientState, target: QueueTarget): LoggedUpdate[] | Attempt {
  if ('number' in target) {
    const entry = state.log.get(updateSeq(target.number));
    if (entry !== undefined && entry.state !== 'answered') return [entry];
    return refused('not-queued', `${target.number}: no change with this number waits`);
  }
  const volumes = [...state.names.volumes.values()];
  const volume = volumes.find(({ row }) => row.info.name === target.volume);
  if (volume === undefined) return refused('no-such-volume', `${target.volume}: no such volume`);
  const found = queuedAcross(state, volume.row.info.id, target.path);
  if (found.length > 0) return found;
  return refused('not-queued', `/${target.path.join('/')}: no change of it waits`);
}

/**
 * What waits at the path, in the volume in which that ends (rule M2). Where nothing does, in the one that it begins in: the mount point itself, or what
 * was put into it while it showed nothing.
 */
function queuedAcross(
  state: ClientState,
  volume: VolumeId,
  path: readonly string[],
): LoggedUpdate[] {
  const there = crossedPath(state, volume, path);
  const found = queuedAt(state, there.volume, there.names);
  return found.length > 0 || there.volume === volume ? found : queuedAt(state, volume, path);
}

function outcome(
  state: ClientState,
  found: readonly LoggedUpdate[],
  others: number,
  underWay: number,
): QueueOutcome {
  const kept = found.find((entry) => entry.state === 'blocked' && !isCancelled(entry));
  const why = standstill(state) ?? kept?.blockedBy ?? null;
  return { updates: found.length, others, underWay, why };
}

/** Gives how many others go with them. */
function first(state: ClientState, found: readonly LoggedUpdate[]): number {
  const all = new Set(found);
  for (const entry of found) for (const each of state.log.prerequisites(entry)) all.add(each);
  let least = 0;
  for (const entry of state.log.all()) least = Math.min(least, queueStatusOf(entry).priority);
  let others = 0;
  for (const entry of all) {
    if (entry.state === 'sent' && entry.update.op !== 'store') continue;
    takeBack(state, entry);
    hurry(state, entry);
    changeQueueStatus(state, entry, { priority: least - 1 });
    expediteStore(state, entry);
    if (!found.includes(entry)) others += 1;
  }
  reorder(state);
  return others;
}

function last(state: ClientState, found: readonly LoggedUpdate[]): number {
  let most = 0;
  for (const entry of state.log.all()) most = Math.max(most, queueStatusOf(entry).priority);
  for (const entry of found) {
    takeBack(state, entry);
    changeQueueStatus(state, entry, { priority: most + 1 });
    endCall(state, entry);
  }
  reorder(state);
  return 0;
}

/** It is sent again when its turn has come. False: it is not being sent. */
function endCall(state: ClientState, entry: LoggedUpdate): boolean {
  const call = callOf(state, entry);
  if (call === undefined) return false;
  if (!call.stopped) state.requests.stop(call);
  return true;
}

function cancel(
  state: ClientState,
  found: readonly LoggedUpdate[],
  underWay: number,
  withDependents: boolean,
): Attempt {
  const refusedOnes = found.filter((entry) => mayGiveUp(state, entry));
  const open = found.filter((entry) => !mayGiveUp(state, entry) && mayCancel(entry));
  const all = [...refusedOnes, ...open];
  const [some] = found;
  if (all.length === 0 && some !== undefined) {
    const path = queuePath(state, some);
    return refused('on-its-way', `${path}: it is on its way, or may have been sent before`);
  }
  const named = new Set(found);
  const others = new Set<LoggedUpdate>();
  for (const entry of all) {
    for (const each of state.log.dependents(entry)) if (!named.has(each)) others.add(each);
  }
  const [other] = others;
  if (other !== undefined && !withDependents) {
    const count = others.size === 1 ? 'a change waits' : `${others.size} changes wait`;
    const example = `${other.update.op} of ${queuePath(state, other)}`;
    return refused('update-needed', `${count} for it: ${example}`);
  }
  const told = outcome(state, found, others.size, underWay);
  const givenUp = refusedOnes.length === 0 ? null : giveUp(state, refusedOnes);
  const isHere = (entry: LoggedUpdate): boolean => state.log.get(entry.seq) === entry;
  for (const entry of [...open, ...others]) if (isHere(entry)) cancelUpdate(state, entry);
  for (const entry of open) {
    if (isHere(entry) && !entry.fresh) logAgain(state, entry, entry.renumbered);
  }
  return done(givenUp === null ? told : { ...told, ...givenUp });
}

function mayCancel(entry: LoggedUpdate): boolean {
  if (entry.update.op === 'store') return true;
  // What is blocked was refused: it was surely not applied.
  if (entry.state === 'blocked') return true;
  return entry.state !== 'sent' && entry.fresh;
}

function cancelUpdate(state: ClientState, entry: LoggedUpdate): void {
  // The low water stays below its number until its call has ended.
  if (endCall(state, entry)) state.queue.renumberedInFlight(entry.seq, entry.seq);
  if (entry.heldBack) {
    entry.heldBack = false;
    state.log.measure(entry, entry.grows);
    state.quota.wantLook();
  }
  if (!isCancelled(entry)) markCancelled(state, entry);
}
