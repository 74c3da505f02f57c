/**
 * A store that the quota of its volume does not let in.
 *
 * Nothing is recorded for its number: its device holds it back and sends it again, the same update, when there may be room (rule
 * W7). Until then it is not on its way, so nobody waits for it.
 */
import type { Update } from '../../../shared/model/update.ts';
import type { Context, PendingUpdate, VolumeState } from '../state.ts';
import { endDirtyMark } from '../update/dirty-mark.ts';
import { giveUp } from '../update/finish-update.ts';
import type { RowView } from '../volume/row-view.ts';
import { roomOf } from './room.ts';

/** The row of its vnode would tell whether it fits. */
export function mayExceed(volume: VolumeState, update: Update): boolean {
  return update.op === 'store' && update.size > roomOf(volume);
}

/**
 * The growth that makes a store too large, before its contents are here; null: it fits, or is to be decided when they are. `view`
 * may not have the row: then it was not asked for.
 */
export function growthBeyond({ update, volume }: PendingUpdate, view: RowView): number | null {
  if (update.op !== 'store') return null;
  const row = view.live(update.fid);
  // What is refused anyway is told so.
  if (row === null || row.status.version !== update.base) return null;
  const growth = update.size - row.status.size;
  return growth > 0 && growth > roomOf(volume) ? growth : null;
}

export function refuseForQuota(ctx: Context, pending: PendingUpdate, growth: number): void {
  const { device, seq, volume } = pending;
  endDirtyMark(ctx, device.id, seq);
  const { name, limit, used } = volume;
  giveUp(ctx, pending, 'over-quota', `${name}: ${used} of ${limit} bytes used, ${growth} more`);
}
