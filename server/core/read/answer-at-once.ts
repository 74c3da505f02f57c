/** Reads that need no rows. */
import type { Fid } from '../../../shared/model/fid.ts';
import { reply } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import { quotaUsageFor } from '../quota/quota-usage.ts';
import { locksFor } from '../lock/report-locks.ts';
import { ordersFor } from '../share/report-orders.ts';
import { newestFor } from '../session/tell-devices.ts';
import type { Context } from '../state.ts';

/** GetTime: the wall time and the head of each volume; its answer, as every other, keeps the lease alive. */
export function getTime(ctx: Context, device: DeviceState, call: CallId): void {
  const heads = [...device.rights.keys()].map((volume) => ({
    volume,
    head: ctx.state.volumes.of(volume).head.committed,
  }));
  const usage = quotaUsageFor(ctx, device, device.rights.keys());
  const orders = ordersFor(ctx, device, device.rights.keys());
  const locks = locksFor(ctx, device, device.rights.keys());
  const body = { wall: ctx.wall, heads, ...usage, ...orders, ...locks, ...newestFor(ctx, device) };
  reply(ctx, device, call, { rpc: 'GetTime', body });
}

/** GiveUpCallbacks: the device wants to hear nothing of these any more. */
export function endPromises(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  fids: readonly Fid[],
): void {
  for (const fid of fids) ctx.state.volumes.find(fid)?.promises.remove(fid, device.id);
  reply(ctx, device, call, { rpc: 'GiveUpCallbacks', body: {} });
}
