/** Reads that need no rows. */
import type { Fid } from '../../../shared/model/fid.ts';
import { reply } from '../device/answer.ts';
import type { CallId } from '../events.ts';
import { roomsFor } from '../quota/quota-usage.ts';
import { ordersFor } from '../share/report-orders.ts';
import type { Context, DeviceState } from '../state.ts';
import { volumeState } from '../wait/waiting-read.ts';

/** The wall time and the head of each volume; its answer, as every other, keeps the lease alive. */
export function getTime(ctx: Context, device: DeviceState, call: CallId): void {
  const heads = [...device.rights.keys()].map((volume) => ({
    volume,
    head: volumeState(ctx, volume).committed,
  }));
  const rooms = roomsFor(ctx, device, device.rights.keys());
  const orders = ordersFor(ctx, device, device.rights.keys());
  const body = { wall: ctx.wall, heads, ...rooms, ...orders };
  reply(ctx, device, call, { rpc: 'GetTime', body });
}

export function giveUpCallbacks(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  fids: readonly Fid[],
): void {
  for (const fid of fids) ctx.state.promises.remove(fid, device.id);
  reply(ctx, device, call, { rpc: 'GiveUpCallbacks', body: {} });
}
