/** What users say of sharing, as devices hear it: with answers by a number, and as a list when they ask. */
import { compareFids, type VolumeId } from '../../../shared/model/fid.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { replyAfter } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import type { Context } from '../state.ts';

/** Which state the orders of these volumes have, for a device that takes orders. */
export function ordersFor(
  { state }: Context,
  { connection }: DeviceState,
  volumes: Iterable<VolumeId>,
): { orders?: Array<{ volume: VolumeId; revision: number }> } {
  if (connection?.takesOrders !== true) return {};
  const all = [...volumes].map((volume) => {
    return { volume, revision: state.volumes.of(volume).orders.revision };
  });
  const orders = all.filter(({ revision }) => revision > 0);
  return orders.length === 0 ? {} : { orders };
}

/** SharingOrders: all orders of a volume, in the order of their vnodes. */
export function listOrders(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  { volume }: RequestOf<'SharingOrders'>,
): void {
  const { all, revision, group } = ctx.state.volumes.of(volume).orders;
  const orders = [...all].map(([fid, order]) => ({ fid, order }));
  orders.sort((a, b) => compareFids(a.fid, b.fid));
  replyAfter(ctx, group, device, call, { rpc: 'SharingOrders', body: { revision, orders } });
}
