/**
 * Breaking callback promises (rules P1-P3; AFS, section 4.1 of the 1988 paper): which holders get a break, and which updates wait
 * for it.
 *
 * Invariants
 * 1. A writer is answered only when each device that could use a promise for what it changed has acknowledged its break,
 *    or its lease has run out, or it has said Hello anew (the same instance of its daemon: session/previous-instances.ts). A later writer waits for the breaks of earlier ones too.
 * 2. The message leaves in the step that decides the change, before the commit; one message for each device and step. Messages of a
 *    connection are numbered in the order of their sending.
 * 3. A device that has not acknowledged a break for ANSWERED_BESIDE_BREAK gets no reply before it does, so its lease is not renewed meanwhile.
 * 4. A device whose lease ran out with a break unacknowledged *owes* it: it gets no reply, so its lease does not come to life
 *    again, until it acknowledges (answer.ts). A disconnected one owes nothing: it must say Hello.
 * 5. A device that is there, but acknowledges nothing for BREAK_PATIENCE (twice that, if no update waits), is disconnected.
 * 6. A device that is promised nothing for a while (trust.ts) holds nothing: what it was promised before is broken, too.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Break, GrantNumber } from '../../../shared/model/callback-promise.ts';
import { after, seconds, type Duration, type Instant } from '../../../shared/model/time.ts';
import { MAX_BREAKS } from '../../../shared/wire/limits.ts';
import { BREAK_PATIENCE } from '../../limits.ts';
import { sendHeld } from '../device/answer.ts';
import type { Holder, PendingUpdate, Told } from '../device/device.ts';
import type { Context } from '../state.ts';
import { finishIfDone } from '../update/finish-update.ts';
import { lookAgain } from '../wait/waiting-read.ts';
import type { BreakMessage } from './break-board.ts';
import { nobodyTold } from './break-counts.ts';
import { subjectOf, volumeIn, type SubjectKey } from './promise-table.ts';
import { kept, missed } from './trust.ts';

/** Breaks everybody's promises for these subjects but the writer's own. `pending`, if given, waits for what comes of it. `told` gets who is told. */
export function breakPromises(
  ctx: Context,
  keys: readonly SubjectKey[],
  writer: DeviceId | null,
  pending: PendingUpdate | null,
  told: Told = nobodyTold(),
): void {
  const { volumes, devices, previousInstances, breakCounts } = ctx.state;
  breakCounts.reached.clear();
  for (const key of keys) {
    const { breaks, promises } = volumes.of(key);
    for (const message of breaks.of(key)) {
      if (message.holder.id !== writer && !message.owed) join(message, pending);
    }
    for (const id of promises.holdersBut(key, writer)) {
      const holder = devices.get(id) ?? previousInstances.get(id);
      if (holder === undefined) promises.remove(key, id);
      else if (!breakOne(ctx, holder, key, pending)) continue;
      else if (typeof key === 'number') told.volume += 1;
      else breakCounts.reached.add(id);
    }
  }
  told.vnode += breakCounts.reached.size;
}

/** Breaks promises of one holder without an update. Only an update of one of these, made before the acknowledgement, waits for it. */
export function breakFor(ctx: Context, holder: Holder, keys: readonly SubjectKey[]): void {
  for (const key of keys) breakOne(ctx, holder, key, null);
}

/** False: the promise was over already, and nobody has to be told. */
function breakOne(
  ctx: Context,
  holder: Holder,
  key: SubjectKey,
  pending: PendingUpdate | null,
): boolean {
  const { breaks, promises } = ctx.state.volumes.of(key);
  const isItsOwn = promises.isUnshared(key, holder.id);
  promises.remove(key, holder.id);
  const lapsed = holder.lease <= ctx.now;
  if (lapsed && holder.connection === null) return false;
  const message = messageFor(ctx, holder, lapsed);
  message.keys.push(key);
  message.endsUnshared ||= isItsOwn;
  if (message.owed) return true;
  breaks.add(key, message);
  join(message, pending);
  return true;
}

function join(message: BreakMessage, pending: PendingUpdate | null): void {
  if (pending === null || message.waiters.at(-1) === pending) return;
  message.waiters.push(pending);
  pending.breaks++;
}

/** The message of this step to that holder that takes one more. */
function messageFor(ctx: Context, holder: Holder, owed: boolean): BreakMessage {
  const { breaks } = ctx.state;
  const open = breaks.openOf(holder.id);
  if (open !== null && open.keys.length < MAX_BREAKS) return open;
  if (open !== null) sendBreak(ctx, open);
  const nothing = { keys: [], waiters: [], sent: false, endsUnshared: false };
  const id = breaks.nextNumber();
  const message: BreakMessage = { id, holder, since: ctx.now, owed, ...nothing };
  breaks.open(message);
  if (owed) holder.owed++;
  watchLease(ctx, holder);
  return message;
}

/** The end of each step: what it broke is sent. */
export function sendBreaks(ctx: Context): void {
  for (const message of ctx.state.breaks.closeAll()) sendBreak(ctx, message);
}

function sendBreak(ctx: Context, message: BreakMessage): void {
  const { holder } = message;
  const { connection } = holder;
  if (message.sent || connection === null) return;
  message.sent = true;
  const upTo = holder.lastGrant as GrantNumber;
  const items: Break[] = message.keys.map((key) => ({ subject: subjectOf(key), upTo }));
  const number = connection.ordersAnswers ? { number: ++connection.lastBreak } : {};
  ctx.out.push({ kind: 'break', message: message.id, connection: connection.id, ...number, items });
}

/** The holder has acknowledged a message: the updates that waited for it go on. */
export function acknowledged(ctx: Context, id: number): void {
  const message = ctx.state.breaks.get(id);
  if (message === null) return;
  const isPaused = kept(ctx, message);
  release(ctx, message);
  remove(ctx, message);
  if (isPaused) takeBack(ctx, message.holder);
}

/** The device keeps nobody waiting for what it was promised before: each would be another wait. */
function takeBack(ctx: Context, holder: Holder): void {
  breakFor(ctx, holder, ctx.state.volumes.promisesOf(holder.id));
}

/** The device answered a break with an error, or took it for nothing: it can't be trusted to keep promises apart. */
export function unacknowledged(ctx: Context, id: number): void {
  const message = ctx.state.breaks.get(id);
  if (message !== null) missed(ctx, [message]);
  const connection = message?.holder.connection;
  if (connection) ctx.out.push({ kind: 'close', connection: connection.id });
}

/** A lease may have run out, or patience with a device; looks again when the next one may. */
export function leaseDeadline(ctx: Context, holder: Holder): void {
  holder.leaseWatched = false;
  if (holder.lease <= ctx.now) {
    const messages = messagesOf(ctx, holder);
    const isPaused = missed(ctx, messages);
    if (messages.some(({ waiters }) => waiters.length > 0)) ctx.state.lapsedLeases += 1;
    for (const message of messages) {
      release(ctx, message);
      if (holder.connection === null) remove(ctx, message);
      else if (!message.owed) {
        message.owed = true;
        holder.owed++;
      }
    }
    if (isPaused) takeBack(ctx, holder);
    if (ctx.state.breaks.oldestOf(holder.id) === null) return;
  }
  const oldest = ctx.state.breaks.oldestOf(holder.id);
  if (oldest !== null && holder.connection !== null) {
    if (patienceEnds(oldest) <= ctx.now) {
      missed(ctx, messagesOf(ctx, holder));
      ctx.out.push({ kind: 'close', connection: holder.connection.id });
    }
  }
  if (oldest !== null || holder.connection === null) watchLease(ctx, holder);
}

/** The device begins anew, or is shut out: it holds no promise, and no update waits for it. */
export function forgetPromises(ctx: Context, holder: Holder): void {
  ctx.state.volumes.dropPromises(holder.id);
  for (const message of messagesOf(ctx, holder)) {
    release(ctx, message);
    remove(ctx, message);
  }
  ctx.state.breaks.dropOpen(holder.id);
}

/** The device is disconnected: what it owed falls with the connection; it can only come back by Hello. */
export function forgetOwed(ctx: Context, holder: Holder): void {
  holder.heldReplies.length = 0;
  for (const message of messagesOf(ctx, holder)) if (message.owed) remove(ctx, message);
}

/** The end of the holder's lease is looked at, and the end of patience with it where that comes first. */
export function watchLease(ctx: Context, holder: Holder): void {
  if (holder.leaseWatched) return;
  holder.leaseWatched = true;
  const oldest = ctx.state.breaks.oldestOf(holder.id);
  let at = holder.lease;
  if (oldest !== null && holder.connection !== null) {
    const patience = patienceEnds(oldest);
    // A lease that is over is looked at no more; one that is renewed all the time is cut short by patience.
    at = at <= ctx.now || patience < at ? patience : at;
  }
  ctx.state.deadlines.push({
    at: at <= ctx.now ? after(ctx.now, SHORT) : at,
    kind: 'lease',
    holder,
  });
}

/** Nobody waits for a message that is owed; so there is more time for it. */
function patienceEnds({ since, owed }: BreakMessage): Instant {
  return after(since, (owed ? 2 * BREAK_PATIENCE : BREAK_PATIENCE) as Duration);
}

/** How soon a lease that is over already is looked at again: a step must end. */
const SHORT = seconds(1);

/** What the holder has not acknowledged, the oldest first. */
export function messagesOf(ctx: Context, holder: Holder): BreakMessage[] {
  return ctx.state.breaks.of(holder.id);
}

function release(ctx: Context, message: BreakMessage): void {
  for (const key of message.keys) ctx.state.volumes.of(key).breaks.remove(key, message);
  for (const pending of message.waiters.splice(0)) {
    pending.breaks--;
    finishIfDone(ctx, pending);
  }
  if (!message.endsUnshared) return;
  for (const volume of new Set(message.keys.map(volumeIn))) lookAgain(ctx, volume);
}

function remove(ctx: Context, message: BreakMessage): void {
  const { holder } = message;
  ctx.state.breaks.remove(message);
  if (message.owed) holder.owed--;
  if (holder.heldReplies.length > 0) sendHeld(ctx, holder);
}
