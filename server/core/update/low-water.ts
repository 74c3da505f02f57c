/** The low water of a device (rule W4): it has the answer of every update below, and needs it no more. */
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { onFailure, stage } from '../commit/group-commit.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import { beginUpdates } from './begin-updates.ts';
import { unpark } from './dependencies.ts';
import { endMark } from './dirty-mark.ts';

/** The device has the answer of every update below this number. A lower one than before says nothing; one that could not be recorded counts when it is said again. */
export function advanceLowWater(ctx: Context, device: DeviceState, lowWater: UpdateSeq): void {
  if (lowWater <= device.lowWater) return;
  const before = device.lowWater;
  device.lowWater = lowWater;
  onFailure(ctx, () => (device.lowWater = before));
  stage(ctx, { kind: 'low-water', device: device.id, lowWater });
  // The device has an answer to these updates and won't send them again, so a mark that is left is of none on its way.
  for (const { fid, seq } of ctx.state.volumes.marksOf(device.id)) {
    if (seq !== null && seq < lowWater && !device.updates.has(seq)) endMark(ctx, device.id, fid);
  }
  if (device.parked.size === 0) return;
  beginUpdates(
    ctx,
    unpark(ctx, device, (needed) => needed < lowWater),
  );
}
