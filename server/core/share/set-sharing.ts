/** Users say something of sharing, and it goes on with names. */
import type { DeviceId } from '../../../shared/model/change.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { SharingOrder } from '../../../shared/model/sharing.ts';
import type { Update } from '../../../shared/model/update.ts';
import { MAX_SHARING_ORDERS } from '../../../shared/wire/limits.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { onFailure, stage } from '../commit/group-commit.ts';
import type { RowView } from '../commit/row-view.ts';
import { fail, failAfter, replyAfter } from '../device/answer.ts';
import { rightIn } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { VnodeStep } from '../volume/decision.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { ordersFor } from './report-orders.ts';
import { takeBack } from './unshared.ts';

/** SetSharing: answered when the order is durable. */
export function answerSetSharing(
  ctx: Context,
  { device, call }: ReadJob,
  view: RowView,
  { fid, order }: RequestOf<'SetSharing'>,
): void {
  const volume = volumeOf(fid);
  if (rightIn(device, volume) !== 'write') return fail(ctx, device, call, 'no-right');
  if (view.live(fid) === null) {
    return failAfter(ctx, view.newestGroup, device, call, 'no-such-vnode');
  }
  const { orders } = ctx.state.volumes.of(volume);
  const before = orders.get(fid);
  const isMore = order !== null && before === null;
  if (isMore && orders.all.size >= MAX_SHARING_ORDERS) {
    return fail(ctx, device, call, 'too-many-orders');
  }
  if (order !== before) setOrder(ctx, fid, order);
  const body = ordersFor(ctx, device, [volume]);
  replyAfter(ctx, orders.group, device, call, { rpc: 'SetSharing', body });
}

/** Nobody: the number of the server itself, which is promised nothing. */
const NOBODY: DeviceId = 0;

function setOrder(ctx: Context, fid: Fid, order: SharingOrder | null): void {
  const { orders } = ctx.state.volumes.of(fid);
  const before = orders.get(fid);
  stage(ctx, { kind: 'sharing', fid, order });
  orders.put(fid, order, ctx.state.commits.collecting.id);
  onFailure(ctx, () => orders.put(fid, before, 0));
  if (order === 'shared') takeBack(ctx, fid, NOBODY);
}

/** An update was accepted: orders end with their vnodes, and go on with what is renamed over those (rule W3). */
export function keepOrders(ctx: Context, update: Update, vnodes: readonly VnodeStep[]): void {
  const { orders } = ctx.state.volumes.of(update.fid);
  if (update.op === 'rename' && update.over !== null) {
    const order = orders.get(update.over.fid);
    if (order !== null && order !== orders.get(update.fid)) setOrder(ctx, update.fid, order);
  }
  for (const { after } of vnodes) {
    const { fid, links } = after.status;
    if (links === 0 && orders.get(fid) !== null) setOrder(ctx, fid, null);
  }
}
