/** What a device hears of the share monitor's opinion, and what the monitor hears of a device. */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import { rightIn, type DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';

/** Whether several devices have used a file lately, for a daemon that takes that and may see the file: it sorts its stores by it. */
export function sharedFor(
  { state, now }: Context,
  device: DeviceState,
  fid: Fid,
): { readonly shared?: boolean } {
  if (device.connection?.takesUnshared !== true || rightIn(device, volumeOf(fid)) === null)
    return {};
  return { shared: state.volumes.of(fid).monitor.isShared(fid, now) };
}

/** That something newer is hidden, for a daemon that reads the file again then. */
export function behindFor({ connection }: DeviceState): { readonly behind?: true } {
  return connection?.takesUnshared === true ? { behind: true } : {};
}

/** Notes the uses of an accepted update. A vnode that is renamed over another takes over its users (rule W3). */
export function noteUse(
  { state, now }: Context,
  device: DeviceState,
  update: Update,
  touched: readonly Fid[],
): void {
  const { monitor } = state.volumes.of(update.fid);
  if (update.op === 'rename' && update.over !== null) {
    monitor.inherit(update.over.fid, update.fid, now);
  }
  for (const fid of touched) monitor.used(fid, device.id, now);
}
