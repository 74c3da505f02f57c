/**
 * Former runs (rules P1, I2): what was promised to a run of a daemon whose device has another one now.
 *
 * A data folder may have been copied, and then both copies are the same device to us. Which of them a run is can't be told; but by its
 * Hello a run gives up what was promised to itself alone. So where another one says Hello, the promises of the one before count until its
 * lease is over, as those of a device that is away: whoever changes something waits, the new run itself among them. Only who says
 * that the former run has ended is believed at once: it is the daemon that has taken the place of a dead one (daemon/core/session/daemon-instance.ts).
 *
 * Nobody can be told of a break, so that a promise for each volume does for all that were held in it.
 */
import { volumeOf } from '../../../shared/model/fid.ts';
import type { RunName } from '../../../shared/model/stored.ts';
import { instant } from '../../../shared/model/time.ts';
import { MAX_FORMER_RUNS } from '../../limits.ts';
import {
  forgetPromises,
  leaseDeadline,
  messagesOf,
  passMessages,
  watchLease,
} from '../callback/breaking.ts';
import type { Context, DeviceState, FormerRun } from '../state.ts';
import { forgetLease } from './lease-rows.ts';

/** There are as many as are kept: another run is let in when one of them is over. */
export function hasTooManyRuns(ctx: Context, device: DeviceState | undefined): boolean {
  return device !== undefined && formerRunsOf(ctx, device).length >= MAX_FORMER_RUNS;
}

/** The device goes on in this run; `ended` (or the run itself) holds nothing any more. */
export function beginRun(
  ctx: Context,
  device: DeviceState,
  run: RunName,
  ended: RunName | null,
): void {
  const isOver = (each: RunName): boolean => each === run || each === ended;
  for (const former of formerRunsOf(ctx, device)) {
    if (isOver(former.run)) endFormerRun(ctx, former, run);
  }
  const before = device.run;
  const holds = ctx.state.promises.ofDevice(device.id).length + messagesOf(ctx, device).length > 0;
  if (!isOver(before) && device.lease > ctx.now && holds) leaveBehind(ctx, device);
  else {
    forgetPromises(ctx, device);
    if (before !== run) forgetLease(ctx, { device: device.id, run: before });
  }
  if (ended !== null && ended !== run) forgetLease(ctx, { device: device.id, run: ended });
  device.run = run;
}

/** Its lease may be over. */
export function formerRunDeadline(ctx: Context, former: FormerRun): void {
  leaseDeadline(ctx, former);
  if (former.lease <= ctx.now) endFormerRun(ctx, former, null);
}

function formerRunsOf({ state }: Context, { id }: DeviceState): FormerRun[] {
  return [...state.formerRuns.values()].filter(({ device }) => device === id);
}

function leaveBehind(ctx: Context, device: DeviceState): void {
  const { state } = ctx;
  const former: FormerRun = {
    id: -++state.lastFormerRun,
    device: device.id,
    run: device.run,
    connection: null,
    lease: device.lease,
    leaseWatched: false,
    lastGrant: device.lastGrant,
    owed: 0,
    heldReplies: [],
  };
  state.formerRuns.set(former.id, former);
  for (const key of state.promises.ofDevice(device.id)) {
    state.promises.add(typeof key === 'string' ? volumeOf(key) : key, former.id);
  }
  state.promises.dropDevice(device.id);
  passMessages(ctx, device, former);
  device.lease = instant(Number.NEGATIVE_INFINITY);
  watchLease(ctx, former);
}

/** `next`: the run that the device has then. */
function endFormerRun(ctx: Context, former: FormerRun, next: RunName | null): void {
  forgetPromises(ctx, former);
  ctx.state.formerRuns.delete(former.id);
  if (former.run !== next) forgetLease(ctx, former);
}
