/**
 * The rows that say who may hold a lease: a server that starts after a crash of this one must wait for those (rule P1). There is one for each run of
 * a daemon: another run of the same device can not speak for it (session/previous-instances.ts).
 */
import type { LeaseRow } from '../../../shared/model/stored.ts';
import { onFailure, stage } from '../commit/group-commit.ts';
import type { Context } from '../state.ts';
import type { DeviceState } from './device.ts';

/** Stages the row of the device's present run, unless it is there: the device is about to get a lease. */
export function rememberLease(ctx: Context, device: DeviceState): void {
  const { leases } = ctx.state;
  const row = { device: device.id, run: device.run };
  if (leases.has(row)) return;
  leases.put(row);
  stage(ctx, { kind: 'lease', ...row });
  device.leaseGroup = ctx.state.commits.collecting.id;
  onFailure(ctx, () => leases.remove(row));
}

/** Stages the end of a row: a server that starts anew need not wait for this run. */
export function forgetLease(ctx: Context, { device, run }: LeaseRow): void {
  const { leases } = ctx.state;
  const row = { device, run };
  if (!leases.remove(row)) return;
  stage(ctx, { kind: 'no-lease', ...row });
  onFailure(ctx, () => leases.put(row));
}

/** Leases of the process before are over: no update waits for runs that did not come back. */
export function forgetOldLeases(ctx: Context): void {
  const { leases, devices, previousInstances } = ctx.state;
  for (const row of leases.inOrder()) {
    if (devices.get(row.device)?.run === row.run) continue;
    const isPrevious = ({ device, run }: LeaseRow): boolean =>
      device === row.device && run === row.run;
    if (![...previousInstances.values()].some(isPrevious)) forgetLease(ctx, row);
  }
}
