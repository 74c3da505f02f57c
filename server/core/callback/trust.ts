/**
 * Which devices get promises (rules P1, P3). Where a holder does not acknowledge the break of its promise, a writer waits until its lease ends.
 * Such a device gets no promise for a while, and for longer each time in a row. It reads and writes as before, and validates more often.
 *
 * A lost connection looks the same, so a device that is not connected may miss some breaks before that. One that acknowledges late, on a bad line or on
 * purpose, may do so as often.
 *
 * What the device was promised before is taken back then (breaking.ts): else a writer would wait as long for each of its promises.
 */
import { after, elapsed, type Duration } from '../../../shared/model/time.ts';
import { LATE_ACKNOWLEDGEMENT, LONGEST_PAUSE, MISSED_BREAKS, PROMISE_PAUSE } from '../../limits.ts';
import type { DeviceState, Holder } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { BreakMessage } from './break-board.ts';

/** Whether the device is promised anything now. */
export function mayBePromised({ now }: Context, { pausedUntil }: DeviceState): boolean {
  return pausedUntil <= now;
}

/**
 * Counts breaks that a device has not acknowledged in time: once for all of these, and only if an update waited for one. Returns whether it is promised
 * nothing from now on.
 */
export function missed(ctx: Context, messages: readonly BreakMessage[]): boolean {
  const waited = messages.find(({ waiters }) => waiters.length > 0);
  if (waited === undefined) return false;
  const { holder, sent } = waited;
  const isThere = sent && holder.connection !== null;
  return counted(ctx, holder, isThere ? MISSED_BREAKS : 1);
}

function counted(ctx: Context, holder: Holder, breaks: number): boolean {
  const device = deviceOf(ctx, holder);
  if (device === undefined) return false;
  device.missedBreaks += breaks;
  const times = Math.floor(device.missedBreaks / MISSED_BREAKS);
  if (times === 0) return false;
  const pause = Math.min(PROMISE_PAUSE * 2 ** (times - 1), LONGEST_PAUSE) as Duration;
  device.pausedUntil = after(ctx.now, pause);
  ctx.out.push({
    kind: 'note',
    level: 'warn',
    message: 'a device acknowledged no break in time: it is promised nothing for a while',
    fields: { device: device.id, seconds: pause / 1000 },
  });
  return true;
}

/** A break was acknowledged. One that an update has waited for too long counts as missed. Returns whether the device is promised nothing from now on. */
export function kept(ctx: Context, { holder, owed, since, waiters }: BreakMessage): boolean {
  if (owed) return false;
  if (waiters.length > 0 && elapsed(since, ctx.now) > LATE_ACKNOWLEDGEMENT) {
    return counted(ctx, holder, 1);
  }
  const device = deviceOf(ctx, holder);
  if (device !== undefined && mayBePromised(ctx, device)) device.missedBreaks = 0;
  return false;
}

function deviceOf({ state }: Context, holder: Holder): DeviceState | undefined {
  return state.devices.get(state.previousInstances.get(holder.id)?.device ?? holder.id);
}
