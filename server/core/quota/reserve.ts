/**
 * A reservation for a store, before its contents come: what it lets its volume grow by is reserved, or it is refused (rules W7, D3).
 *
 * What is on the disk of an upload that was cut off counts too, also after a restart; but it is there to spare the link, and gives way.
 *
 * A reservation ends when its update is decided or given up, as when its call was aborted or its connection has ended. A store without one when it is
 * decided (its contents were here before its row, or there was no quota when it began) must fit beside the reservations of others. So a store with a
 * reservation is never refused for the quota in the end, unless an administrator has lowered that.
 */
import type { Update } from '../../../shared/model/update.ts';
import type { RowView } from '../commit/row-view.ts';
import type { PendingUpdate } from '../device/device.ts';
import type { Context } from '../state.ts';
import { makeWay } from './quota-usage.ts';
import type { VolumeQuota } from './volume-quota.ts';

/** Whether a reservation is needed, and so the row of its vnode. Without a quota nothing is reserved. */
export function isCounted({ limit }: VolumeQuota, update: Update): boolean {
  return limit !== null && update.op === 'store' && update.size > 0;
}

/**
 * Reserves what the store lets its volume grow by. `view` may not have its row: then it is decided when its contents are here. Returns the
 * bytes of growth that do not fit; null: they do.
 */
export function reserve(ctx: Context, pending: PendingUpdate, view: RowView): number | null {
  const volume = ctx.state.volumes.of(pending.volume);
  const { quota } = volume;
  const growth = growthOf(pending, view);
  if (growth === null || !isCounted(quota, pending.update)) return null;
  if (growth > 0 && growth > quota.freeBeside(pending)) return growth;
  quota.uploads.put(pending, growth);
  if (growth > 0) makeWay(ctx, volume);
  return null;
}

/** Null: it is not known, or the store is refused for another reason. */
function growthOf({ update }: PendingUpdate, view: RowView): number | null {
  if (update.op !== 'store') return null;
  const row = view.live(update.fid);
  if (view.missing.length > 0) return null;
  // What makes its file may be on its way before it.
  if (row === null) return update.base === 0 ? update.size : null;
  if (row.status.version !== update.base) return null;
  return Math.max(0, update.size - row.status.size);
}
