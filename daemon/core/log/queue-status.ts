/**
 * The status of a queued update in the queue: its priority, whether a person has cancelled it, and the delay of a store. It is durable with the
 * update.
 *
 * Invariants
 * 1. Its priority orders what may go out; no update is sent before one that it depends on, of either priority.
 * 2. What is put aside stays in the log, with its contents, and the view shows it as before; it is not sent before it is taken back. It was surely
 *    not sent under its number.
 * 3. A change on top of an update that is put aside takes that back: no other update ever waits for one that is put aside.
 * 4. A delayed store is sent when its file was not written for the delay, or before that when somebody asks for it (a person, `flush`, the end of the
 *    daemon). Over a restart the delay counts on by the wall clock, and never for longer than the whole of it. While it is delayed it was never sent,
 *    so a removal of its file makes it pointless (W5).
 */
import { after, milliseconds, type Instant } from '../../../shared/model/time.ts';
import type { ClientState } from '../state.ts';
import { offer } from './offer.ts';
import type { LoggedUpdate, QueueStatus } from './update-log.ts';

const DELAY = { kind: 'writeback-delay' } as const;
const NOTHING: QueueStatus = { priority: 0, isCancelled: false, written: null };

const CANCELLED = 'it was taken out of the queue';

/** Said by the server, on this connection; what then (damaged.ts). */
export const DAMAGED = 'its contents on this disk are damaged';

export const isDamaged = ({ state, blockedBy }: LoggedUpdate): boolean =>
  state === 'blocked' && blockedBy === DAMAGED;

/** Why the server has refused it, with what follows. */
export const KEEPS_REFUSING = 'the server keeps refusing it';
export const NEEDS_REFUSED = 'what it depends on keeps being refused';
export const NO_RIGHT = 'this device may not write here';
/** Its volume is shown to this person no more; with the right it goes on by itself. */
export const NOT_SEEN = 'you may not see this volume any more';
export const MOUNTS_UNSEEN = 'this device may not see the volume that it is to show';
export const IN_MOUNT_POINT = 'its folder is a mount point';
const FOR_GOOD: readonly string[] = [NO_RIGHT, NEEDS_REFUSED, MOUNTS_UNSEEN];

/** The server has refused it, and does so again as things are. */
export function isRefused({ state, blockedBy }: LoggedUpdate): boolean {
  if (state !== 'blocked' || blockedBy === null) return false;
  const begins = [KEEPS_REFUSING, IN_MOUNT_POINT].some((why) => blockedBy.startsWith(why));
  return begins || FOR_GOOD.includes(blockedBy);
}

/** The server has refused to show a volume there: it has nothing of that mount point. */
export const isMountRefused = ({ state, blockedBy }: LoggedUpdate): boolean =>
  state === 'blocked' && blockedBy === MOUNTS_UNSEEN;

/** The server has refused to put it into a mount point (M2). */
export const isInMountPoint = ({ state, blockedBy }: LoggedUpdate): boolean =>
  state === 'blocked' && blockedBy?.startsWith(IN_MOUNT_POINT) === true;

export function queueStatusOf(entry: LoggedUpdate): QueueStatus {
  return entry.queueStatus ?? NOTHING;
}

export function isCancelled(entry: LoggedUpdate): boolean {
  return entry.queueStatus?.isCancelled === true;
}

/** Of a store that is logged now. */
export function newQueueStatus(state: ClientState, op: string): QueueStatus | null {
  if (op !== 'store' || state.queue.settings.delay === 0) return null;
  return { ...NOTHING, written: state.now.wall };
}

/** Begins the delay of an update that came into the log with its status: a new one, one that is logged again, or one of an earlier start. */
export function enter(state: ClientState, entry: LoggedUpdate): void {
  if (entry.state !== 'queued') return;
  if (isCancelled(entry)) return keepCancelled(state, entry);
  const { written } = queueStatusOf(entry);
  if (written === null) return;
  const { delay } = state.queue.settings;
  const left = Math.min(Math.max(written + delay - state.now.wall, 0), delay);
  delayUntil(state, entry, after(state.now.at, milliseconds(left)));
}

/** The status of a store that supersedes an earlier one: the priority of the file stays, a cancellation ends, and the delay begins anew. */
export function queueStatusAfter(state: ClientState, earlier: LoggedUpdate): QueueStatus | null {
  const { priority } = queueStatusOf(earlier);
  const written = newQueueStatus(state, 'store')?.written ?? null;
  return priority === 0 && written === null ? null : { priority, isCancelled: false, written };
}

function delayUntil(state: ClientState, entry: LoggedUpdate, until: Instant): void {
  entry.delayedUntil = until;
  state.queue.delay(entry.seq);
  const next = state.delays.until(DELAY);
  if (next === null || until < next) state.delays.holdUntil(DELAY, until);
  state.changed = true;
}

/** What is due may go out; the next one that will be is waited for. */
export function updateDelays(state: ClientState): void {
  let next: Instant | null = null;
  for (const seq of state.queue.delayed()) {
    const entry = state.log.get(seq);
    const until = entry?.delayedUntil ?? null;
    if (entry === undefined || until === null) state.queue.endDelay(seq);
    else if (until <= state.now.at) endDelay(state, entry);
    else if (next === null || until < next) next = until;
  }
  if (next === null) state.delays.succeeded(DELAY);
  else state.delays.holdUntil(DELAY, next);
}

/** Before it is sent: what is delayed was never sent. */
function endDelay(state: ClientState, entry: LoggedUpdate): void {
  if (queueStatusOf(entry).written !== null) changeQueueStatus(state, entry, { written: null });
  entry.delayedUntil = null;
  state.queue.endDelay(entry.seq);
  offer(state, entry);
  state.changed = true;
}

/** It goes without its delay, and so does what it depends on. */
export function hurry(state: ClientState, entry: LoggedUpdate): void {
  for (const each of [...state.log.prerequisites(entry), entry]) {
    if (queueStatusOf(each).written !== null) changeQueueStatus(state, each, { written: null });
    if (each.delayedUntil !== null) endDelay(state, each);
  }
}

/** Nothing that is logged by now is delayed any longer. */
export function expediteAll(state: ClientState): void {
  for (const seq of state.queue.delayed()) {
    const entry = state.log.get(seq);
    if (entry === undefined) state.queue.endDelay(seq);
    else hurry(state, entry);
  }
}

/** Changes the queue status of an update durably. A status that says nothing is stored as null. */
export function changeQueueStatus(
  state: ClientState,
  entry: LoggedUpdate,
  change: Partial<QueueStatus>,
): void {
  const status = { ...queueStatusOf(entry), ...change };
  const isNothing = status.priority === 0 && !status.isCancelled && status.written === null;
  state.log.setQueueStatus(entry, isNothing ? null : status);
  state.changed = true;
}

/** Cancels an update: it is not sent until a person orders it or its file changes again. */
export function markCancelled(state: ClientState, entry: LoggedUpdate): void {
  entry.delayedUntil = null;
  state.queue.endDelay(entry.seq);
  changeQueueStatus(state, entry, { isCancelled: true, priority: 0, written: null });
  keepCancelled(state, entry);
}

function keepCancelled(state: ClientState, entry: LoggedUpdate): void {
  state.queue.cancel(entry.seq);
  entry.state = 'blocked';
  entry.blockedBy = CANCELLED;
  state.waiting.signal({ kind: 'log' });
  state.changed = true;
}

/** It may be sent again, and so may what it depends on. */
export function takeBack(state: ClientState, entry: LoggedUpdate): void {
  if (!state.queue.hasCancelled) return;
  for (const each of [...state.log.prerequisites(entry), entry]) {
    if (!isCancelled(each)) continue;
    changeQueueStatus(state, each, { isCancelled: false });
    state.queue.takeBack(each.seq);
    each.state = 'queued';
    each.blockedBy = null;
    offer(state, each);
  }
}
