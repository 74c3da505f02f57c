/**
 * The rows that say who may hold a lease: a server that starts after a crash of this one must wait for those (rule P1). One for each run of
 * a daemon: another run of the same device can not speak for it (previous-instances.ts).
 */
import { compareNames } from '../../../shared/model/names.ts';
import type { LeaseRow } from '../../../shared/model/stored.ts';
import type { Context, DeviceState } from '../state.ts';
import { onFailure, stage } from '../commit/group-commit.ts';
import { leaseKey } from '../commit/row-key.ts';

/** The device is about to get one. */
export function rememberLease(ctx: Context, device: DeviceState): void {
  const { leaseRows } = ctx.state;
  const row = { device: device.id, run: device.run };
  const key = leaseKey(row);
  if (leaseRows.has(key)) return;
  leaseRows.set(key, row);
  stage(ctx, { kind: 'lease', ...row });
  device.leaseGroup = ctx.state.collecting.id;
  onFailure(ctx, () => leaseRows.delete(key));
}

/** A server that starts anew need not wait for this one. */
export function forgetLease(ctx: Context, { device, run }: LeaseRow): void {
  const { leaseRows } = ctx.state;
  const row = { device, run };
  const key = leaseKey(row);
  if (!leaseRows.delete(key)) return;
  stage(ctx, { kind: 'no-lease', ...row });
  onFailure(ctx, () => leaseRows.set(key, row));
}

/** Leases of the process before are over: nobody has to wait for runs that did not come back. */
export function forgetOldLeases(ctx: Context): void {
  const { leaseRows, devices, formerRuns } = ctx.state;
  const inOrder = [...leaseRows.values()].sort(
    (a, b) => a.device - b.device || compareNames(a.run, b.run),
  );
  for (const row of inOrder) {
    if (devices.get(row.device)?.run === row.run) continue;
    const isFormer = ({ device, run }: LeaseRow): boolean =>
      device === row.device && run === row.run;
    if (![...formerRuns.values()].some(isFormer)) forgetLease(ctx, row);
  }
}
