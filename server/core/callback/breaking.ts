/**
 * Breaking callback promises (rules P1-P3): who is told of a change, and who waits for whom.
 *
 * Invariants
 * 1. A writer is answered only when each device that could use a promise for what it changed has acknowledged its break,
 *    or its lease has run out, or it has said Hello anew. A later writer waits for the breaks of earlier ones too.
 * 2. The message leaves in the step that decides the change, before the commit; one message for each device and step. Messages of a
 *    connection are numbered in the order of their sending.
 * 3. A device whose lease ran out with a break unacknowledged *owes* it: it gets no reply, so its lease does not come to life
 *    again, until it acknowledges (answer.ts). A disconnected one owes nothing: it must say Hello.
 * 4. A device that is there, but acknowledges nothing for BREAK_PATIENCE (twice that, when nobody waits), is disconnected.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Break, GrantNumber } from '../../../shared/model/callback-promise.ts';
import { after, seconds, type Duration, type Instant } from '../../../shared/model/time.ts';
import { MAX_BREAKS } from '../../../shared/wire/limits.ts';
import { BREAK_PATIENCE } from '../../limits.ts';
import { sendHeld } from '../answer.ts';
import type { BreakMessage, Context, DeviceState, PendingUpdate } from '../state.ts';
import { finishIfDone } from '../update/finish-update.ts';
import { subjectOf, type SubjectKey } from './promise-table.ts';

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
      if (message.device.id !== writer && !message.owed) join(message, pending);
    }
    for (const holder of state.promises.holdersBut(key, writer)) {
      state.promises.remove(key, holder);
      const device = state.devices.get(holder);
      if (device !== undefined) breakOne(ctx, device, key, pending);
    }
  }
}

/** Promises of one device, for whatever reason; nobody waits for it but who changes one of these before it is told. */
export function breakFor(ctx: Context, device: DeviceState, keys: readonly SubjectKey[]): void {
  for (const key of keys) {
    ctx.state.promises.remove(key, device.id);
    breakOne(ctx, device, key, null);
  }
}

function breakOne(
  ctx: Context,
  device: DeviceState,
  key: SubjectKey,
  pending: PendingUpdate | null,
): void {
  const lapsed = device.lease <= ctx.now;
  if (lapsed && device.connection === null) return;
  const message = messageFor(ctx, device, lapsed);
  message.keys.push(key);
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
function messageFor(ctx: Context, device: DeviceState, owed: boolean): BreakMessage {
  const { state } = ctx;
  const open = state.fresh.get(device.id);
  if (open !== undefined && open.keys.length < MAX_BREAKS) return open;
  if (open !== undefined) sendBreak(ctx, open);
  const id = ++state.lastMessage;
  const message = { id, device, since: ctx.now, keys: [], waiters: [], owed, sent: false };
  state.fresh.set(device.id, message);
  state.messages.set(id, message);
  const own = state.messagesOf.get(device.id);
  if (own === undefined) state.messagesOf.set(device.id, new Set([message]));
  else own.add(message);
  if (owed) device.owed++;
  watchLease(ctx, device);
  return message;
}

/** The end of each step: what it broke is told. */
export function sendBreaks(ctx: Context): void {
  for (const message of ctx.state.fresh.values()) sendBreak(ctx, message);
  ctx.state.fresh.clear();
}

function sendBreak(ctx: Context, message: BreakMessage): void {
  const { device } = message;
  const { connection } = device;
  if (message.sent || connection === null) return;
  message.sent = true;
  const upTo = device.lastGrant as GrantNumber;
  const items: Break[] = message.keys.map((key) => ({ subject: subjectOf(key), upTo }));
  const number = connection.ordersAnswers ? { number: ++connection.lastBreak } : {};
  ctx.out.push({ kind: 'break', message: message.id, connection: connection.id, ...number, items });
}

export function acknowledged(ctx: Context, id: number): void {
  const message = ctx.state.messages.get(id);
  if (message === undefined) return;
  release(ctx, message);
  remove(ctx, message);
}

/** The device answered a break with an error, or took it for nothing: it can't be trusted to keep promises apart. */
export function unacknowledged(ctx: Context, id: number): void {
  const connection = ctx.state.messages.get(id)?.device.connection;
  if (connection) ctx.out.push({ kind: 'close', connection: connection.id });
}

/** A lease may have run out, or patience with a device; looks again when the next one may. */
export function leaseDeadline(ctx: Context, device: DeviceState): 'lapsed' | 'watched' {
  device.leaseWatched = false;
  if (device.lease <= ctx.now) {
    for (const message of messagesOf(ctx, device)) {
      release(ctx, message);
      if (device.connection === null) remove(ctx, message);
      else if (!message.owed) {
        message.owed = true;
        device.owed++;
      }
    }
    const oldest = messagesOf(ctx, device)[0];
    if (oldest === undefined) return 'lapsed';
  }
  const oldest = messagesOf(ctx, device)[0];
  if (oldest !== undefined && device.connection !== null) {
    if (patienceEnds(oldest) <= ctx.now) {
      ctx.out.push({ kind: 'close', connection: device.connection.id });
    }
  }
  if (oldest !== undefined || device.connection === null) watchLease(ctx, device);
  return 'watched';
}

/** The device begins anew, or is shut out: it holds nothing, and nobody waits for it. */
export function forgetPromises(ctx: Context, device: DeviceState): void {
  ctx.state.promises.dropDevice(device.id);
  for (const message of messagesOf(ctx, device)) {
    release(ctx, message);
    remove(ctx, message);
  }
  ctx.state.fresh.delete(device.id);
}

/** The device is disconnected: what it owed falls with the connection; it can only come back by Hello. */
export function forgetOwed(ctx: Context, device: DeviceState): void {
  device.heldReplies.length = 0;
  for (const message of messagesOf(ctx, device)) if (message.owed) remove(ctx, message);
}

export function watchLease(ctx: Context, device: DeviceState): void {
  if (device.leaseWatched) return;
  device.leaseWatched = true;
  const oldest = messagesOf(ctx, device)[0];
  let at = device.lease;
  if (oldest !== undefined && device.connection !== null) {
    const patience = patienceEnds(oldest);
    // A lease that is over is looked at no more; one that is renewed all the time is cut short by patience.
    at = at <= ctx.now || patience < at ? patience : at;
  }
  ctx.state.deadlines.push({
    at: at <= ctx.now ? after(ctx.now, SHORT) : at,
    kind: 'lease',
    device,
  });
}

/** Nobody waits for a message that is owed; so there is more time for it. */
function patienceEnds({ since, owed }: BreakMessage): Instant {
  return after(since, (owed ? 2 * BREAK_PATIENCE : BREAK_PATIENCE) as Duration);
}

/** How soon a lease that is over already is looked at again: a step must end. */
const SHORT = seconds(1);

export function messagesOf(ctx: Context, device: DeviceState): BreakMessage[] {
  return [...(ctx.state.messagesOf.get(device.id) ?? [])];
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
}

function remove(ctx: Context, message: BreakMessage): void {
  const { device } = message;
  ctx.state.messages.delete(message.id);
  const own = ctx.state.messagesOf.get(device.id);
  own?.delete(message);
  if (own?.size === 0) ctx.state.messagesOf.delete(device.id);
  if (!message.owed) return;
  device.owed--;
  if (device.owed === 0) sendHeld(ctx, device);
}
