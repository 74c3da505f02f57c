/**
 * Ends of sessions: the connection is gone (the device has its lease still), the lease is over or was given back (it is away), the
 * device was revoked.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { DeviceAccess } from '../../../shared/model/stored.ts';
import { forgetOwed, forgetPromises, leaseDeadline, watchLease } from '../callback/breaking.ts';
import type { ConnectionState, DeviceState, Holder } from '../device/device.ts';
import { forgetLease } from '../device/lease-rows.ts';
import { loseLocks } from '../lock/hold-locks.ts';
import { wakeFetches } from '../read/wake-reads.ts';
import type { Context } from '../state.ts';
import { unpark } from '../update/dependencies.ts';
import { endMark } from '../update/dirty-mark.ts';
import { giveUp } from '../update/finish-update.ts';
import { callAborted } from '../update/receive-content.ts';
import { instanceDeadline } from './previous-instances.ts';
import { rightsOf } from './volumes-seen.ts';

/** The connection has lost its device: its calls end without answers. */
export function detach(ctx: Context, connection: ConnectionState): void {
  for (const call of [...connection.calls]) callAborted(ctx, call, false);
  const { device } = connection;
  connection.device = null;
  if (device === null || device.connection !== connection) return;
  device.connection = null;
  forgetOwed(ctx, device);
  device.leaseWatched = false;
  watchLease(ctx, device);
}

/** A deadline that was set for this lease. */
export function leaseMayBeOver(ctx: Context, holder: Holder): void {
  const previous = ctx.state.previousInstances.get(holder.id);
  if (previous === holder) instanceDeadline(ctx, previous);
  const device = ctx.state.devices.get(holder.id);
  if (device === undefined || device !== holder) return;
  leaseDeadline(ctx, device);
  if (device.connection === null && device.lease <= ctx.now) away(ctx, device);
}

/** A daemon that leaves in good order has given up its promises before (daemon/core/session/disconnect.ts): no writer waits for its lease. */
export function leaves(ctx: Context, device: DeviceState): void {
  device.lease = ctx.now;
  away(ctx, device);
}

/** The device is away: it can use no promise, and says Hello before it asks for anything. */
function away(ctx: Context, device: DeviceState): void {
  forgetPromises(ctx, device);
  wakeWaitersFor(ctx, device.id);
  loseLocks(ctx, device);
  forgetLease(ctx, { device: device.id, run: device.run });
  // It will send again what it has no answer for. Its dirty marks stay: they are its word (rule S4).
  for (const pending of unpark(ctx, device, () => true)) giveUp(ctx, pending, null);
}

/** Its hidden updates are not coming: reads that wait for it alone are answered (rule S4). */
function wakeWaitersFor(ctx: Context, id: DeviceId): void {
  const { volumes } = ctx.state;
  for (const volume of volumes.limits.marks.placesOf(id)) {
    const { reads, marks } = volumes.of(volume);
    for (const fid of reads.marksWaitedFor) {
      if (marks.get(id, fid) !== null) wakeFetches(ctx, fid);
    }
  }
}

/** Takes rights that an administrator has changed. A device that loses some learns nothing from others that lose theirs in the same step. */
export function accessChanged(ctx: Context, devices: readonly DeviceAccess[]): void {
  const isRevoked = ({ device, revoked }: DeviceAccess): boolean =>
    revoked || ctx.state.revoked.has(device);
  const revoked = devices.filter(isRevoked).map(({ device }) => device);
  for (const id of revoked) shutOut(ctx, id);
  for (const { device: id, name, access } of devices) {
    const device = ctx.state.devices.get(id);
    if (device === undefined || ctx.state.revoked.has(id)) continue;
    const isRenamed = (name ?? device.name) !== device.name && device.connection?.takesName;
    const rights = rightsOf(ctx.state, access);
    if (sameRights(rights, device.rights) && isRenamed !== true) continue;
    device.rights = rights;
    // Rights and the name come with Hello: the device comes back and hears what it may do now, and offers again what was refused. Till then
    // it may not know: so its promises end with its lease, as those of any device that is not there (P1), and no break is sent.
    if (device.connection !== null) disconnect(ctx, device.connection);
  }
  for (const id of revoked) leave(ctx, id);
}

/** The same volumes under the same names, and the same rights in them. */
function sameRights(one: DeviceState['rights'], other: DeviceState['rights']): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([volume, { name, rights, may }]) => {
    const seen = other.get(volume);
    return seen?.rights === rights && seen.may === may && seen.name === name;
  });
}

function disconnect(ctx: Context, connection: ConnectionState): void {
  ctx.out.push({ kind: 'close', connection: connection.id });
  detach(ctx, connection);
}

/** Its connection ends now. */
function shutOut(ctx: Context, id: DeviceId): void {
  const { revoked, devices } = ctx.state;
  if (!revoked.has(id)) {
    revoked.add(id);
    ctx.out.push({
      kind: 'note',
      level: 'warn',
      message: 'device revoked',
      fields: { device: id },
    });
  }
  const device = devices.get(id);
  if (device === undefined) return;
  if (device.connection !== null) disconnect(ctx, device.connection);
  device.rights = new Map();
}

/**
 * Ends what a device has announced, since it will not come, and the waits for it; decided updates stay decided. A second call does again what a
 * failed group took back.
 */
function leave(ctx: Context, id: DeviceId): void {
  for (const { fid } of ctx.state.volumes.marksOf(id)) endMark(ctx, id, fid);
  const device = ctx.state.devices.get(id);
  if (device !== undefined) away(ctx, device);
}
