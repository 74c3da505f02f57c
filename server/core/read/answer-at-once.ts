/** Reads that need no rows. */
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { reply } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import { quotaUsageFor } from '../quota/quota-usage.ts';
import { locksFor } from '../lock/report-locks.ts';
import { ordersFor } from '../share/report-orders.ts';
import { newestFor } from './tell-devices.ts';
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

/** GiveUpCallbacks: the device wants to hear nothing of these any more, but for what it was promised since it said so (rule N3). */
export function endPromises(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  { fids, grants }: RequestOf<'GiveUpCallbacks'>,
): void {
  for (const [index, fid] of fids.entries()) {
    const promises = ctx.state.volumes.find(fid)?.promises;
    const upTo = grants?.[index];
    if (grants === undefined) promises?.remove(fid, device.id);
    else if (upTo !== undefined) promises?.giveUp(fid, device.id, upTo);
  }
  reply(ctx, device, call, { rpc: 'GiveUpCallbacks', body: {} });
}
