/** What a device is told of the share monitor's opinion, and what the monitor is told of a device. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { Context, DeviceState } from '../state.ts';

/** Whether several devices have used a file lately, for who wants to know: it sorts its stores by that. */
export function sharedFor(
  { state, now }: Context,
  { connection }: DeviceState,
  fid: Fid,
): { readonly shared?: boolean } {
  return connection?.takesUnshared === true ? { shared: state.monitor.isShared(fid, now) } : {};
}

/** That something newer is hidden, for who asks for that then. */
export function behindFor({ connection }: DeviceState): { readonly behind?: true } {
  return connection?.takesUnshared === true ? { behind: true } : {};
}

/** An update was accepted. What is renamed over something else takes its place with whoever uses that (rule W3). */
export function noteUse(
  { state, now }: Context,
  device: DeviceState,
  update: Update,
  touched: readonly Fid[],
): void {
  if (update.op === 'rename' && update.over !== null) {
    state.monitor.inherit(update.over.fid, update.fid, now);
  }
  for (const fid of touched) state.monitor.used(fid, device.id, now);
}
