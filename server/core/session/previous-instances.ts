/**
 * Previous instances (rules P1, I2): what was promised to a run of a daemon whose device has another one now.
 *
 * A data folder may have been copied, and then both copies are the same device to us. The server can not tell which of them an instance is; but
 * with its Hello an instance gives up its own promises alone. So where another instance says Hello, the promises of the one before count
 * until its lease is over, as those of a device that is away: every writer waits, the new instance too. An instance that says that the
 * previous one has ended is believed: it has taken the place of a dead daemon (daemon/core/session/daemon-instance.ts).
 *
 * No break is sent to a previous instance, so one promise for each volume stands for all that it held there.
 */
import type { DaemonInstance } from '../../../shared/model/stored.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import { instant } from '../../../shared/model/time.ts';
import { MAX_PREVIOUS_INSTANCES } from '../../limits.ts';
import { forgetPromises, leaseDeadline, watchLease } from '../callback/breaking.ts';
import type { DeviceState, PreviousInstance } from '../device/device.ts';
import { forgetLease } from '../device/lease-rows.ts';
import type { Context } from '../state.ts';

/** Whether as many are kept as may be: another instance is let in when one of them is over. */
export function hasTooManyInstances(ctx: Context, device: DeviceState | undefined): boolean {
  return device !== undefined && previousInstancesOf(ctx, device).length >= MAX_PREVIOUS_INSTANCES;
}

/**
 * Continues the device in this instance: the instance `ended`, and this one before now, hold no promises any more. `ended` null: Hello named none.
 */
export function beginInstance(
  ctx: Context,
  device: DeviceState,
  run: DaemonInstance,
  ended: DaemonInstance | null,
): void {
  const isOver = (each: DaemonInstance): boolean => each === run || each === ended;
  for (const previous of previousInstancesOf(ctx, device)) {
    if (isOver(previous.run)) endInstance(ctx, previous, run);
  }
  const before = device.run;
  const { volumes, breaks } = ctx.state;
  const holds = volumes.limits.promises.total(device.id) > 0 || breaks.oldestOf(device.id) !== null;
  if (!isOver(before) && device.lease > ctx.now && holds) leaveBehind(ctx, device);
  else {
    forgetPromises(ctx, device);
    if (before !== run) forgetLease(ctx, { device: device.id, run: before });
  }
  if (ended !== null && ended !== run) forgetLease(ctx, { device: device.id, run: ended });
  device.run = run;
}

/** A deadline of a previous instance: it ends with its lease. */
export function instanceDeadline(ctx: Context, previous: PreviousInstance): void {
  leaseDeadline(ctx, previous);
  if (previous.lease <= ctx.now) endInstance(ctx, previous, null);
}

function previousInstancesOf({ state }: Context, { id }: DeviceState): PreviousInstance[] {
  return [...state.previousInstances.values()].filter(({ device }) => device === id);
}

function leaveBehind(ctx: Context, device: DeviceState): void {
  const { state } = ctx;
  const previous: PreviousInstance = {
    id: -++state.lastPreviousInstance,
    device: device.id,
    run: device.run,
    connection: null,
    lease: device.lease,
    leaseWatched: false,
    lastGrant: device.lastGrant,
    owed: 0,
    heldReplies: [],
  };
  state.previousInstances.set(previous.id, previous);
  for (const volume of state.volumes.limits.promises.placesOf(device.id)) {
    state.volumes.of(volume).promises.add(volume, previous.id, previous.lastGrant as GrantNumber);
  }
  state.volumes.dropPromises(device.id);
  state.breaks.pass(device.id, previous);
  device.lease = instant(Number.NEGATIVE_INFINITY);
  watchLease(ctx, previous);
}

/** `next`: the run that the device has then. */
function endInstance(ctx: Context, previous: PreviousInstance, next: DaemonInstance | null): void {
  forgetPromises(ctx, previous);
  ctx.state.previousInstances.delete(previous.id);
  if (previous.run !== next) forgetLease(ctx, previous);
}
