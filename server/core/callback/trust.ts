/**
 * Which devices get promises (rules P1, P3). Where a holder does not acknowledge the break of its promise, a writer waits until its lease ends.
 * Such a device gets no promise for a while, and for longer each time in a row. It reads and writes as before, and validates more often.
 *
 * A lost connection looks the same, so a device that is not connected may miss some breaks before that.
 */
import { after, type Duration } from '../../../shared/model/time.ts';
import { LONGEST_PAUSE, MISSED_BREAKS, PROMISE_PAUSE } from '../../limits.ts';
import type { DeviceState, Holder } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { BreakMessage } from './break-board.ts';

/** Whether the device is promised anything now. */
export function mayBePromised({ now }: Context, { pausedUntil }: DeviceState): boolean {
  return pausedUntil <= now;
}

/** Counts breaks that a device has not acknowledged in time: once for all of these, and only if an update waited for one. */
export function missed(ctx: Context, messages: readonly BreakMessage[]): void {
  const waited = messages.find(({ waiters }) => waiters.length > 0);
  if (waited === undefined) return;
  const { holder, sent } = waited;
  const device = deviceOf(ctx, holder);
  if (device === undefined) return;
  device.missedBreaks += sent && holder.connection !== null ? MISSED_BREAKS : 1;
  const times = Math.floor(device.missedBreaks / MISSED_BREAKS);
  if (times === 0) return;
  const pause = Math.min(PROMISE_PAUSE * 2 ** (times - 1), LONGEST_PAUSE) as Duration;
  device.pausedUntil = after(ctx.now, pause);
  ctx.out.push({
    kind: 'note',
    level: 'warn',
    message: 'a device acknowledged no break in time: it is promised nothing for a while',
    fields: { device: device.id, seconds: pause / 1000 },
  });
}

/** A break was acknowledged in time. */
export function kept(ctx: Context, { holder, owed }: BreakMessage): void {
  const device = deviceOf(ctx, holder);
  if (device !== undefined && !owed && mayBePromised(ctx, device)) device.missedBreaks = 0;
}

function deviceOf({ state }: Context, holder: Holder): DeviceState | undefined {
  return state.devices.get(state.previousInstances.get(holder.id)?.device ?? holder.id);
}
