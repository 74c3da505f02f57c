/** The beginning and the end of a dirty mark: row, mirror, and who was waiting for its end. */
import type { DeviceId } from '../../../shared/model/change.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { breakPromises } from '../callback/breaking.ts';
import { wakeFetches, wakePollers } from '../read/wake-reads.ts';
import type { Context, PendingUpdate } from '../state.ts';
import { onFailure, stage } from '../volume/group-commit.ts';

/** At the first byte of a store (rule P3): from here on nobody else is promised anything about the vnode. */
export function markDirty(ctx: Context, pending: PendingUpdate): void {
  const { dirty } = ctx.state;
  const { device, seq, update, volume } = pending;
  if (!dirty.has(device.id, seq)) {
    const mark = { fid: update.fid, device: device.id, seq };
    stage(ctx, { kind: 'dirty', ...mark });
    dirty.add(mark);
    onFailure(ctx, () => dirty.remove(device.id, seq));
  }
  breakPromises(ctx, [update.fid, volume.id], device.id, pending);
}

/** The update was decided or taken back. What waited for it reads again, and sees the rows staged so far. */
export function endDirtyMark(ctx: Context, device: DeviceId, seq: UpdateSeq): void {
  const { dirty } = ctx.state;
  const mark = dirty.remove(device, seq);
  if (mark === null) return;
  stage(ctx, { kind: 'clean', device, seq });
  onFailure(ctx, () => dirty.add(mark));
  wakeFetches(ctx, mark.fid);
  wakePollers(ctx, volumeOf(mark.fid));
}
