/**
 * What a device hears of the others of its person: that one has joined, which may be nobody that they know, and which there are. It is information:
 * nothing is decided by it, and it goes to no other person.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { MAX_DEVICES_TOLD } from '../../../shared/wire/limits.ts';
import type { RowView } from '../commit/row-view.ts';
import { replyAfter } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';

/** For an answer: the newest device of this person, this one included, if this one was told of another last. */
export function newestFor(
  { state: { newestDevices } }: Context,
  { connection, id, user }: DeviceState,
): { newestDevice?: DeviceId } {
  const newest = Math.max(id, newestDevices.get(user) ?? 0);
  newestDevices.set(user, newest);
  if (!connection || connection.newestTold === null) return {};
  if (connection.newestTold === newest) return {};
  connection.newestTold = newest;
  return { newestDevice: newest };
}

/** Devices: those of this person, the newest first; answered when the newest is durable. */
export function answerDevices(ctx: Context, { device, call }: ReadJob, view: RowView): void {
  const all = view.deviceNames(device.user).toReversed().slice(0, MAX_DEVICES_TOLD);
  const devices = all.map(({ id, name, since }) => ({ device: id, name, since }));
  replyAfter(ctx, view.newestGroup, device, call, { rpc: 'Devices', body: { devices } });
}
