/** RenameDevice: what a device is called is the server's to keep, so that no two of a user's are called the same. */
import { deviceNameFault, isSameDeviceName } from '../../../shared/model/device-name.ts';
import type { RowKey, StoredDevice } from '../../../shared/model/stored.ts';
import { present } from '../../../shared/util/assert.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { onFailure, show, stage } from '../commit/group-commit.ts';
import { rowKeyText } from '../commit/row-key.ts';
import type { RowView } from '../commit/row-view.ts';
import { fail, failAfter, replyAfter } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';

/** The device, and all of its user. */
export function renameKeys({ connection, user }: DeviceState): RowKey[] {
  const { fingerprint } = present(connection, 'who asks is connected');
  return [
    { kind: 'device', fingerprint },
    { kind: 'device-names', user },
  ];
}

/** Answered when the name is durable; what others have that is not yet counts too. */
export function answerRename(
  ctx: Context,
  { device, call }: ReadJob,
  view: RowView,
  { name }: RequestOf<'RenameDevice'>,
): void {
  const fault = deviceNameFault(name);
  if (fault !== null || device.connection === null) {
    return fail(ctx, device, call, 'bad-message', fault ?? undefined);
  }
  const { fingerprint } = device.connection;
  const stored = present(view.device(fingerprint), 'a device that asks is there');
  const all = view.deviceNames(device.user);
  if (all.some((other) => other.id !== device.id && isSameDeviceName(other.name, name))) {
    return failAfter(ctx, view.newestGroup, device, call, 'device-name-taken');
  }
  if (stored.name !== name) {
    take(ctx, device, { ...stored, name });
    const named = all.map((each) => (each.id === device.id ? { ...each, name } : each));
    show(ctx, ctx.state.rows, rowKeyText({ kind: 'device-names', user: device.user }), named);
  }
  const group = stored.name === name ? view.newestGroup : ctx.state.commits.collecting.id;
  replyAfter(ctx, group, device, call, { rpc: 'RenameDevice', body: {} });
}

function take(ctx: Context, device: DeviceState, stored: StoredDevice): void {
  const { id, fingerprint, name } = stored;
  const before = device.name;
  stage(ctx, { kind: 'device-name', id, name });
  show(ctx, ctx.state.rows, rowKeyText({ kind: 'device', fingerprint }), stored);
  device.name = name;
  onFailure(ctx, () => (device.name = before));
}
