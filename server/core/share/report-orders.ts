/** What users say of sharing, as devices hear it: with answers by a number, and as a list when they ask. */
import { compareFids, type VolumeId } from '../../../shared/model/fid.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { replyAfter } from '../device/answer.ts';
import type { CallId } from '../events.ts';
import type { Context, DeviceState } from '../state.ts';

/** For who takes them: which state the orders of these volumes have. */
export function ordersFor(
  { state }: Context,
  { connection }: DeviceState,
  volumes: Iterable<VolumeId>,
): { orders?: Array<{ volume: VolumeId; revision: number }> } {
  if (connection?.takesOrders !== true) return {};
  const told = [...volumes].map((volume) => {
    return { volume, revision: state.sharing.of(volume).revision };
  });
  const orders = told.filter(({ revision }) => revision > 0);
  return orders.length === 0 ? {} : { orders };
}

export function listOrders(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  { volume }: RequestOf<'SharingOrders'>,
): void {
  const { all, revision, group } = ctx.state.sharing.of(volume);
  const orders = [...all].map(([fid, order]) => ({ fid, order }));
  orders.sort((a, b) => compareFids(a.fid, b.fid));
  replyAfter(ctx, group, device, call, { rpc: 'SharingOrders', body: { revision, orders } });
}
