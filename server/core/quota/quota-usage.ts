/**
 * The use of a volume's quota: what its files take together, what may still come, and what each device hears of that. All are bytes.
 *
 * The decision at the commit counts, and looks at nothing but the quota and what is kept for uploads under way (reserve.ts). What
 * devices hear is a hint that makes a refusal early and seldom late (rule W7). Bytes are granted ahead in blocks, and the block of one
 * device is left out of what the others hear, so that two who write at the same moment do not count on the same bytes. So is what its
 * uploads under way will take, as far as its block does not cover that.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { QuotaUsage } from '../../../shared/model/quota.ts';
import type { StoredVnode } from '../../../shared/model/stored.ts';
import { GRANT_SHARE, LARGEST_GRANT, LEAST_GRANT } from '../../limits.ts';
import { stage } from '../commit/group-commit.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { VolumeState } from '../volume-state.ts';
import type { Accepted } from '../volume/decision.ts';
import type { VolumeQuota } from './volume-quota.ts';

/** Takes what is on the disk of uploads that were cut off. It counts, but gives way to what is sure to be wanted (rule D3). */
export function partsChanged(
  { state }: Context,
  begun: ReadonlyArray<{ readonly volume: VolumeId; readonly bytes: number }>,
): void {
  for (const { id, quota } of state.volumes) {
    quota.setBegun(begun.find((each) => each.volume === id)?.bytes ?? 0);
  }
}

/** More is used or kept: begun parts that are in the way go. */
export function makeWay(ctx: Context, { id, quota }: VolumeState): void {
  const bytes = quota.inTheWay;
  if (bytes > 0) ctx.out.push({ kind: 'give-way', volume: id, bytes });
}

/** Stages what the files of the volume take after this commit. Each file counts once, however many names it has; its older versions do not. */
export function stageUsed(ctx: Context, volume: VolumeState, { vnodes }: Accepted): void {
  const previous = volume.quota.used;
  let used = previous;
  for (const { before, after } of vnodes) used += counted(after) - counted(before);
  if (used === previous) return;
  stage(ctx, { kind: 'used', volume: volume.id, used, previous });
  volume.quota.stageUsed(used);
  ctx.state.commits.collecting.used.set(volume.id, used);
  if (used > previous) makeWay(ctx, volume);
}

function counted(row: StoredVnode | null): number {
  if (row === null || row.status.kind !== 'file' || row.status.links === 0) return 0;
  return row.status.size;
}

/** What a reply says of the quotas of these volumes, and grants; nothing where no volume has one. */
export function quotaUsageFor(
  ctx: Context,
  device: DeviceState,
  volumes: Iterable<VolumeId>,
): { rooms?: QuotaUsage[] } {
  const rooms: QuotaUsage[] = [];
  for (const id of volumes) {
    const usage = usageFor(ctx, device, ctx.state.volumes.of(id));
    if (usage !== null) rooms.push(usage);
  }
  return rooms.length === 0 ? {} : { rooms };
}

/** Whether its quota is another one since the device was told of it: that is worth an answer to a poll. */
export function hasUntoldLimit({ state }: Context, device: DeviceState, volume: VolumeId): boolean {
  const told = device.connection?.limitsTold?.get(volume);
  return told !== undefined && told !== state.volumes.of(volume).quota.limit;
}

/** With an answer about the volume: its quota, if it is another one since the device was told of it. */
export function changedQuotaFor(
  ctx: Context,
  device: DeviceState,
  volume: VolumeId,
): { quota?: QuotaUsage | null } {
  if (!hasUntoldLimit(ctx, device, volume)) return {};
  return { quota: usageFor(ctx, device, ctx.state.volumes.of(volume)) };
}

function usageFor(ctx: Context, device: DeviceState, volume: VolumeState): QuotaUsage | null {
  const { id, quota } = volume;
  device.connection?.limitsTold?.set(id, quota.limit);
  const { limit, usedCommitted: used, grants, uploads } = quota;
  if (limit === null) {
    grants.clear();
    return null;
  }
  const free = Math.max(0, limit - used - (uploads.total - uploads.of(device.id)));
  const others = grantedToOthers(ctx, device.id, quota);
  const block = Math.min(Math.max(Math.floor(free / GRANT_SHARE), LEAST_GRANT), LARGEST_GRANT);
  if (others + block <= free / 2) grants.set(device.id, block);
  else grants.delete(device.id);
  return { volume: id, limit, used, free: Math.max(0, free - others) };
}

function grantedToOthers(
  { state, now }: Context,
  device: DeviceId,
  { grants, uploads }: VolumeQuota,
): number {
  let bytes = 0;
  for (const [other, granted] of [...grants]) {
    if (other === device) continue;
    const lease = state.devices.get(other)?.lease;
    if (lease === undefined || lease <= now) grants.delete(other);
    else bytes += Math.max(0, granted - uploads.of(other));
  }
  return bytes;
}
