/**
 * Who is promised anything (rules P1, P3). A promise costs others a wait where its holder does not acknowledge its break: as long as its lease, once.
 * Who let it come to that is promised nothing for a while, and longer each time in a row. It reads and writes as before, and asks more often.
 *
 * A connection that is cut looks the same, so a device that is not connected may miss some.
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

/** Of these breaks of a device none was acknowledged in time. That counts once, and where somebody waited for it. */
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
