/**
 * Answers to calls.
 *
 * Every reply renews the lease of the device it goes to (rule P1). So a device that has not acknowledged a break for a moment gets no reply
 * before it does: writers wait for its lease. Nor does one that owes the acknowledgement of a break for which nobody waits any longer: its
 * lease would come to life again with a promise that the server has forgotten.
 *
 * An answer does not outrun a break that was sent before it, or its reader would know a commit and not those before it (rules P2, P3): streams
 * overtake each other, so it names that break, and is taken when that one is there (daemon/core/sharing/answer-order.ts).
 */
import { after } from '../../../shared/model/time.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { ANSWERED_BESIDE_BREAK, LEASE } from '../../limits.ts';
import type { AnyReply, CallId, ReplyContent } from '../events.ts';
import type { Context } from '../state.ts';
import type { HeldReply, Holder } from './device.ts';

/** Answers a call: at once, or when its device owes no break any more. */
export function reply(
  ctx: Context,
  device: Holder,
  call: CallId,
  body: AnyReply,
  content: ReplyContent | null = null,
): void {
  send(ctx, { device, effect: { kind: 'reply', call, reply: body, content } });
}

/** Replies once `group` is durable; at once where it is. */
export function replyAfter(
  ctx: Context,
  group: number,
  device: Holder,
  call: CallId,
  body: AnyReply,
  content: ReplyContent | null = null,
): void {
  sendAfter(ctx, group, { device, effect: { kind: 'reply', call, reply: body, content } });
}

/** Refuses once `group` is durable: who hears that something is gone believes it, and a group that fails brings it back. */
export function failAfter(
  ctx: Context,
  group: number,
  device: Holder,
  call: CallId,
  code: ErrorCode,
): void {
  sendAfter(ctx, group, { device, effect: { kind: 'fail', call, code, detail: '' } });
}

function sendAfter(ctx: Context, group: number, held: HeldReply): void {
  const awaited = ctx.state.commits.notDurable(group);
  if (awaited === null) send(ctx, held);
  else awaited.replies.push(held);
}

/** Refuses a call. `device` null: of a connection without a session. */
export function fail(
  ctx: Context,
  device: Holder | null,
  call: CallId,
  code: ErrorCode,
  detail = '',
): void {
  const effect: HeldReply['effect'] = { kind: 'fail', call, code, detail };
  if (device !== null) send(ctx, { device, effect });
  else if (forget(ctx, call)) ctx.out.push(effect);
}

/** Sends what a device is answered, and renews its lease; or keeps it where the device owes a break. */
export function send(ctx: Context, { device, effect }: HeldReply): void {
  if (device.owed > 0 || hasOverdueBreak(ctx, device)) {
    device.heldReplies.push(effect);
    return;
  }
  const connection = ctx.state.calls.get(effect.call);
  if (connection === undefined) return;
  forget(ctx, effect.call);
  device.lease = after(ctx.now, LEASE);
  const { ordersAnswers, lastBreak } = connection;
  ctx.out.push(ordersAnswers && lastBreak > 0 ? { ...effect, afterBreak: lastBreak } : effect);
}

/** A break was sent to it a while ago and is not acknowledged: a reply would renew the lease that writers wait for. */
function hasOverdueBreak({ state, now }: Context, { id, connection }: Holder): boolean {
  if (connection === null) return false;
  const oldest = state.breaks.oldestOf(id);
  return oldest?.sent === true && after(oldest.since, ANSWERED_BESIDE_BREAK) <= now;
}

/** The device owes nothing any more, or less. */
export function sendHeld(ctx: Context, device: Holder): void {
  for (const effect of device.heldReplies.splice(0)) send(ctx, { device, effect });
}

/** Forgets a call that has its answer. False: its connection has ended, so the answer has no receiver. */
export function forget(ctx: Context, call: CallId): boolean {
  const connection = ctx.state.calls.get(call);
  if (connection === undefined) return false;
  ctx.state.calls.delete(call);
  connection.calls.delete(call);
  return true;
}
