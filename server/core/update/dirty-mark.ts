/** The beginning and the end of a dirty mark: row, mirror, and who was waiting for its end. */
import type { DeviceId } from '../../../shared/model/change.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { DirtyMark } from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { MAX_DEVICE_MARKS } from '../../limits.ts';
import { breakPromises } from '../callback/breaking.ts';
import { onFailure, stage } from '../commit/group-commit.ts';
import type { PendingUpdate } from '../device/device.ts';
import { wakeFetches, wakePollers } from '../read/wake-reads.ts';
import type { Context } from '../state.ts';

/**
 * At the first byte of a store (rule P3): from here on nobody else is promised anything about the vnode. One beyond the limit of its device is no
 * mark: what is promised meanwhile is broken when it is decided, as for an update without contents.
 */
export function markDirty(ctx: Context, pending: PendingUpdate): void {
  const { device, seq, update, volume } = pending;
  const before = ctx.state.volumes.of(volume).marks.get(device.id, update.fid);
  // A later one may have been reported already.
  const isCovered = before !== null && (before.seq === null || before.seq >= seq);
  if (!isCovered && mayHaveMark(ctx, device.id, update.fid))
    putMark(ctx, { fid: update.fid, device: device.id, seq });
  breakPromises(ctx, [update.fid, volume], device.id, pending, pending.told);
}

/** Whether the device may have a mark of this vnode: there is a limit, and what is beyond it is learned of when it comes. */
export function mayHaveMark({ state }: Context, device: DeviceId, fid: Fid): boolean {
  const { limits } = state.volumes;
  if (limits.marks.total(device) < MAX_DEVICE_MARKS) return true;
  return state.volumes.of(fid).marks.get(device, fid) !== null;
}

/** Marks the vnode, in the place of the mark that the device had of it. */
export function putMark(ctx: Context, mark: DirtyMark): void {
  const { marks } = ctx.state.volumes.of(mark.fid);
  const before = marks.get(mark.device, mark.fid);
  if (before?.seq === mark.seq) return;
  stage(ctx, { kind: 'dirty', ...mark });
  marks.put(mark);
  onFailure(ctx, () => {
    if (before === null) marks.remove(mark.device, mark.fid);
    else marks.put(before);
  });
}

/** The update was decided or taken back: a mark that names it ends. */
export function endMarkOf(ctx: Context, { device, seq, update }: PendingUpdate): void {
  endDirtyMark(ctx, { device, seq, fid: update.fid });
}

/** A mark that names a later update stays. */
export function endDirtyMark(
  ctx: Context,
  { device, seq, fid }: { device: { id: DeviceId }; seq: UpdateSeq; fid: Fid },
): void {
  // An update that was refused may name a vnode of a volume that is not here.
  const mark = ctx.state.volumes.find(fid)?.marks.get(device.id, fid);
  if (mark?.seq === seq) endMark(ctx, device.id, fid);
}

/** The mark of this device ends, if there is one. What waited for it reads again, and sees the rows staged so far. */
export function endMark(ctx: Context, device: DeviceId, fid: Fid): void {
  const marks = ctx.state.volumes.find(fid)?.marks;
  const mark = marks?.remove(device, fid) ?? null;
  if (mark === null) return;
  stage(ctx, { kind: 'clean', device, fid });
  onFailure(ctx, () => marks?.put(mark));
  wakeFetches(ctx, fid);
  wakePollers(ctx, volumeOf(fid));
}
