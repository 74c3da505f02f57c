/** The beginning and the end of a dirty mark: row, mirror, and who was waiting for its end. */
import type { DeviceId } from '../../../shared/model/change.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { DirtyMark } from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { MAX_DEVICE_MARKS } from '../../limits.ts';
import { breakPromises } from '../callback/breaking.ts';
import { wakeFetches, wakePollers } from '../read/wake-reads.ts';
import type { Context, PendingUpdate } from '../state.ts';
import { onFailure, stage } from '../commit/group-commit.ts';

/**
 * At the first byte of a store (rule P3): from here on nobody else is promised anything about the vnode. One beyond the limit of its device is no
 * mark: what is promised meanwhile is broken when it is decided, as for an update without contents.
 */
export function markDirty(ctx: Context, pending: PendingUpdate): void {
  const { device, seq, update, volume } = pending;
  const before = ctx.state.dirty.get(device.id, update.fid);
  // A later one may have been told of already.
  const isCovered = before !== null && (before.seq === null || before.seq >= seq);
  if (!isCovered && hasRoomFor(ctx, device.id, update.fid))
    putMark(ctx, { fid: update.fid, device: device.id, seq });
  breakPromises(ctx, [update.fid, volume.id], device.id, pending);
}

/** There is a limit: what is beyond it is learned of when it comes. */
export function hasRoomFor({ state }: Context, device: DeviceId, fid: Fid): boolean {
  const { dirty } = state;
  return dirty.get(device, fid) !== null || dirty.countOf(device) < MAX_DEVICE_MARKS;
}

/** In the place of the one that was there. */
export function putMark(ctx: Context, mark: DirtyMark): void {
  const { dirty } = ctx.state;
  const before = dirty.get(mark.device, mark.fid);
  if (before?.seq === mark.seq) return;
  stage(ctx, { kind: 'dirty', ...mark });
  dirty.put(mark);
  onFailure(ctx, () => {
    if (before === null) dirty.remove(mark.device, mark.fid);
    else dirty.put(before);
  });
}

/** The update was decided or taken back. */
export function endMarkOf(ctx: Context, { device, seq, update }: PendingUpdate): void {
  endDirtyMark(ctx, { device, seq, fid: update.fid });
}

/** A mark that names a later update stays. */
export function endDirtyMark(
  ctx: Context,
  { device, seq, fid }: { device: { id: DeviceId }; seq: UpdateSeq; fid: Fid },
): void {
  if (ctx.state.dirty.get(device.id, fid)?.seq === seq) endMark(ctx, device.id, fid);
}

/** What waited for it reads again, and sees the rows staged so far. */
export function endMark(ctx: Context, device: DeviceId, fid: Fid): void {
  const { dirty } = ctx.state;
  const mark = dirty.remove(device, fid);
  if (mark === null) return;
  stage(ctx, { kind: 'clean', device, fid });
  onFailure(ctx, () => dirty.put(mark));
  wakeFetches(ctx, fid);
  wakePollers(ctx, volumeOf(fid));
}
