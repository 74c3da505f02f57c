/**
 * A server that closes in good order: it breaks the promises it gave, so that the next one need not wait for leases.
 *
 * breaking: nothing new is taken on, breaks are under way; flushing: the last rows are being written; closed.
 */
import { after } from '../../../shared/model/time.ts';
import { CLOSING_WAIT, MAX_CLOSING_BREAKS } from '../../limits.ts';
import { breakFor, messagesOf } from '../callback/breaking.ts';
import { fail } from '../device/answer.ts';
import { forgetLease } from '../device/lease-rows.ts';
import type { Context } from '../state.ts';

/** Nothing new is taken on from now on; CLOSING_WAIT is the longest it may take. */
export function beginClosing(ctx: Context): void {
  const { state } = ctx;
  if (state.closing !== 'no') return;
  state.closing = 'breaking';
  for (const device of state.devices.values()) {
    if (device.connection === null) continue;
    for (const call of [...device.connection.calls]) {
      if (!isDecided(ctx, call) && !mayGoOn(ctx, call)) fail(ctx, device, call, 'server-closing');
    }
    const held = state.volumes.promisesOf(device.id);
    if (held.length <= MAX_CLOSING_BREAKS) breakFor(ctx, device, held);
  }
  state.deadlines.push({ at: after(ctx.now, CLOSING_WAIT), kind: 'closing' });
}

/** The end of each step: is it time to go on? `late`: the wait for acknowledgements is over. */
export function proceedClosing(ctx: Context, late: boolean): void {
  const { state } = ctx;
  if (state.closing === 'breaking' && (late || state.breaks.size === 0)) {
    state.closing = 'flushing';
    for (const device of [...state.devices.values()]) {
      const holds = state.volumes.limits.promises.total(device.id) > 0;
      if (!holds && messagesOf(ctx, device).length === 0)
        forgetLease(ctx, { device: device.id, run: device.run });
    }
  }
}

/** The end of each step: the server has closed where nothing is left to write. */
export function finishClosing(ctx: Context): void {
  const { state } = ctx;
  if (state.closing !== 'flushing') return;
  if (!state.commits.isIdle) return;
  state.closing = 'closed';
  ctx.out.push({ kind: 'closed' });
}

/** An answer that only waits for its group, or for acknowledgements, is still given. */
function isDecided(ctx: Context, call: number): boolean {
  const { committing, collecting } = ctx.state.commits;
  for (const group of [committing, collecting]) {
    if (group?.replies.some((held) => held.effect.call === call) === true) return true;
    const decided = group?.updates.some((pending) =>
      pending.answers.some(({ answer }) => answer.call === call && answer.remaining === 1),
    );
    if (decided === true) return true;
  }
  return false;
}

/** A stream that is under way ends with its connection, not by an answer: so what has come of it is kept (rule D3). */
function mayGoOn(ctx: Context, call: number): boolean {
  const receiving = ctx.state.receiving.get(call);
  return receiving !== undefined && receiving.stream !== null && !receiving.keeping;
}
