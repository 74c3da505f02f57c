/**
 * Breaking callback promises (rules P1-P3): who is told of a change, and who waits for whom.
 *
 * Invariants
 * 1. A writer is answered only when each device that could use a promise for what it changed has acknowledged its break,
 *    or its lease has run out, or it has said Hello anew (the same run of its daemon: session/previous-instances.ts). A later writer waits for the breaks of earlier ones too.
 * 2. The message leaves in the step that decides the change, before the commit; one message for each device and step. Messages of a
 *    connection are numbered in the order of their sending.
 * 3. A device that has not acknowledged a break for ANSWERED_BESIDE_BREAK gets no reply before it does, so its lease is not renewed meanwhile.
 * 4. A device whose lease ran out with a break unacknowledged *owes* it: it gets no reply, so its lease does not come to life
 *    again, until it acknowledges (answer.ts). A disconnected one owes nothing: it must say Hello.
 * 5. A device that is there, but acknowledges nothing for BREAK_PATIENCE (twice that, when nobody waits), is disconnected.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Break, GrantNumber } from '../../../shared/model/callback-promise.ts';
import { after, seconds, type Duration, type Instant } from '../../../shared/model/time.ts';
import { MAX_BREAKS } from '../../../shared/wire/limits.ts';
import { BREAK_PATIENCE } from '../../limits.ts';
import { sendHeld } from '../device/answer.ts';
import type { BreakMessage, Context, Holder, PendingUpdate } from '../state.ts';
import { finishIfDone } from '../update/finish-update.ts';
import { lookAgain } from '../wait/waiting-read.ts';
import { subjectOf, volumeIn, type SubjectKey } from './promise-table.ts';
import { kept, missed } from './trust.ts';

/** Breaks everybody's promises for these subjects but the writer's own. `pending`, if given, waits for what comes of it. */
export function breakPromises(
  ctx: Context,
  keys: readonly SubjectKey[],
  writer: DeviceId | null,
  pending: PendingUpdate | null,
): void {
  const { state } = ctx;
  for (const key of keys) {
    for (const message of state.breaking.get(key) ?? []) {
      if (message.holder.id !== writer && !message.owed) join(message, pending);
    }
    for (const holder of state.promises.holdersBut(key, writer)) {
      const told = state.devices.get(holder) ?? state.formerRuns.get(holder);
      if (told !== undefined) breakOne(ctx, told, key, pending);
      else state.promises.remove(key, holder);
    }
  }
}

/** Promises of one device, for whatever reason; nobody waits for it but who changes one of these before it is told. */
export function breakFor(ctx: Context, holder: Holder, keys: readonly SubjectKey[]): void {
  for (const key of keys) breakOne(ctx, holder, key, null);
}

function breakOne(
  ctx: Context,
  holder: Holder,
  key: SubjectKey,
  pending: PendingUpdate | null,
): void {
  const isItsOwn = ctx.state.promises.isUnshared(key, holder.id);
  ctx.state.promises.remove(key, holder.id);
  const lapsed = holder.lease <= ctx.now;
  if (lapsed && holder.connection === null) return;
  const message = messageFor(ctx, holder, lapsed);
  message.keys.push(key);
  message.endsUnshared ||= isItsOwn;
  if (message.owed) return;
  const outstanding = ctx.state.breaking.get(key);
  if (outstanding === undefined) ctx.state.breaking.set(key, new Set([message]));
  else outstanding.add(message);
  join(message, pending);
}

function join(message: BreakMessage, pending: PendingUpdate | null): void {
  if (pending === null || message.waiters.at(-1) === pending) return;
  message.waiters.push(pending);
  pending.breaks++;
}

/** The message of this step to that device, with room for one more. */
function messageFor(ctx: Context, holder: Holder, owed: boolean): BreakMessage {
  const { state } = ctx;
  const open = state.fresh.get(holder.id);
  if (open !== undefined && open.keys.length < MAX_BREAKS) return open;
  if (open !== undefined) sendBreak(ctx, open);
  const id = ++state.lastMessage;
  const nothing = { keys: [], waiters: [], sent: false, endsUnshared: false };
  const message: BreakMessage = { id, holder, since: ctx.now, owed, ...nothing };
  state.fresh.set(holder.id, message);
  state.messages.set(id, message);
  const own = state.messagesOf.get(holder.id);
  if (own === undefined) state.messagesOf.set(holder.id, new Set([message]));
  else own.add(message);
  if (owed) holder.owed++;
  watchLease(ctx, holder);
  return message;
}

/** The end of each step: what it broke is told. */
export function sendBreaks(ctx: Context): void {
  for (const message of ctx.state.fresh.values()) sendBreak(ctx, message);
  ctx.state.fresh.clear();
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

export function acknowledged(ctx: Context, id: number): void {
  const message = ctx.state.messages.get(id);
  if (message === undefined) return;
  kept(ctx, message);
  release(ctx, message);
  remove(ctx, message);
}

/** The device answered a break with an error, or took it for nothing: it can't be trusted to keep promises apart. */
export function unacknowledged(ctx: Context, id: number): void {
  const message = ctx.state.messages.get(id);
  if (message !== undefined) missed(ctx, [message]);
  const connection = message?.holder.connection;
  if (connection) ctx.out.push({ kind: 'close', connection: connection.id });
}

/** A lease may have run out, or patience with a device; looks again when the next one may. */
export function leaseDeadline(ctx: Context, holder: Holder): 'lapsed' | 'watched' {
  holder.leaseWatched = false;
  if (holder.lease <= ctx.now) {
    const messages = messagesOf(ctx, holder);
    missed(ctx, messages);
    if (messages.some(({ waiters }) => waiters.length > 0)) ctx.state.lapsedLeases += 1;
    for (const message of messages) {
      release(ctx, message);
      if (holder.connection === null) remove(ctx, message);
      else if (!message.owed) {
        message.owed = true;
        holder.owed++;
      }
    }
    const oldest = messagesOf(ctx, holder)[0];
    if (oldest === undefined) return 'lapsed';
  }
  const oldest = messagesOf(ctx, holder)[0];
  if (oldest !== undefined && holder.connection !== null) {
    if (patienceEnds(oldest) <= ctx.now) {
      missed(ctx, messagesOf(ctx, holder));
      ctx.out.push({ kind: 'close', connection: holder.connection.id });
    }
  }
  if (oldest !== undefined || holder.connection === null) watchLease(ctx, holder);
  return 'watched';
}

/** The device begins anew, or is shut out: it holds nothing, and nobody waits for it. */
export function forgetPromises(ctx: Context, holder: Holder): void {
  ctx.state.promises.dropDevice(holder.id);
  for (const message of messagesOf(ctx, holder)) {
    release(ctx, message);
    remove(ctx, message);
  }
  ctx.state.fresh.delete(holder.id);
}

/** The device is disconnected: what it owed falls with the connection; it can only come back by Hello. */
export function forgetOwed(ctx: Context, holder: Holder): void {
  holder.heldReplies.length = 0;
  for (const message of messagesOf(ctx, holder)) if (message.owed) remove(ctx, message);
}

/** The holder's promises are another's now, and so is the waiting for it. */
export function passMessages({ state }: Context, from: Holder, to: Holder): void {
  const own = state.messagesOf.get(from.id);
  state.messagesOf.delete(from.id);
  for (const message of own ?? []) message.holder = to;
  if (own !== undefined) state.messagesOf.set(to.id, own);
  const fresh = state.fresh.get(from.id);
  state.fresh.delete(from.id);
  if (fresh !== undefined) state.fresh.set(to.id, fresh);
}

export function watchLease(ctx: Context, holder: Holder): void {
  if (holder.leaseWatched) return;
  holder.leaseWatched = true;
  const oldest = messagesOf(ctx, holder)[0];
  let at = holder.lease;
  if (oldest !== undefined && holder.connection !== null) {
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

export function messagesOf(ctx: Context, holder: Holder): BreakMessage[] {
  return [...(ctx.state.messagesOf.get(holder.id) ?? [])];
}

function release(ctx: Context, message: BreakMessage): void {
  for (const key of message.keys) {
    const outstanding = ctx.state.breaking.get(key);
    if (outstanding?.delete(message) === true && outstanding.size === 0) {
      ctx.state.breaking.delete(key);
    }
  }
  for (const pending of message.waiters.splice(0)) {
    pending.breaks--;
    finishIfDone(ctx, pending);
  }
  if (!message.endsUnshared) return;
  for (const volume of new Set(message.keys.map(volumeIn))) lookAgain(ctx, volume);
}

function remove(ctx: Context, message: BreakMessage): void {
  const { holder } = message;
  ctx.state.messages.delete(message.id);
  const own = ctx.state.messagesOf.get(holder.id);
  own?.delete(message);
  if (own?.size === 0) ctx.state.messagesOf.delete(holder.id);
  if (message.owed) holder.owed--;
  if (holder.heldReplies.length > 0) sendHeld(ctx, holder);
}
