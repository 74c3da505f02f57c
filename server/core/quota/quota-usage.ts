/**
 * The quota of a volume: what its files take together, what may still come, and what each device is told of that.
 *
 * The decision at the commit counts, and looks at nothing but the quota and what is kept for uploads under way (reserve.ts). What
 * devices are told is a hint that makes a refusal early and seldom late (rule W7): room is granted ahead in blocks, and the block of one
 * device is left out of what the others are told, so that two who write at the same moment do not count on the same bytes. So is what its
 * uploads under way will take, as far as its block does not cover that.
 *
 * Invariants
 * 1. `used` is the bytes of the present contents of the files: it is staged with each commit, and void with its group.
 * 2. Grants together take half of the free room at most: who is idle keeps nobody from writing.
 * 3. A grant ends with the lease of its device.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { Room } from '../../../shared/model/quota.ts';
import type { StoredVnode, VolumeLimit } from '../../../shared/model/stored.ts';
import { GRANT_SHARE, LARGEST_GRANT, LEAST_GRANT } from '../../limits.ts';
import type { Context, DeviceState, PendingUpdate, VolumeState } from '../state.ts';
import type { Accepted } from '../volume/decision.ts';
import { stage } from '../commit/group-commit.ts';

/** Bytes that this update may let the files of its volume grow by, beside what is kept for others. */
export function roomBeside(pending: PendingUpdate): number {
  const { limit, used, uploads } = pending.volume;
  if (limit === null) return Number.POSITIVE_INFINITY;
  return limit - used - (uploads.heldBy(pending) > 0 ? 0 : uploads.total);
}

/** An administrator may have set other ones: they hold for what is decided from now on. */
export function limitsChanged({ state }: Context, limits: readonly VolumeLimit[]): void {
  for (const { id, limit } of limits) {
    const volume = state.volumes.get(id);
    if (volume !== undefined) volume.limit = limit;
  }
}

/** As far as they are known here, begun parts count: but they give way to what is sure to be wanted (rule D3). */
export function partsChanged(
  { state }: Context,
  begun: ReadonlyArray<{ readonly volume: VolumeId; readonly bytes: number }>,
): void {
  for (const volume of state.volumes.values()) {
    volume.begun = begun.find((each) => each.volume === volume.id)?.bytes ?? 0;
  }
}

/** More is used or kept: begun parts that are in the way go. */
export function makeWay(ctx: Context, volume: VolumeState): void {
  const { id, limit, used, uploads, begun } = volume;
  if (limit === null || begun === 0) return;
  const bytes = Math.min(begun, used + uploads.total + begun - limit);
  if (bytes > 0) ctx.out.push({ kind: 'give-way', volume: id, bytes });
}

/** A commit changes what the files of its volume take. */
export function stageUsed(ctx: Context, volume: VolumeState, { vnodes }: Accepted): void {
  const previous = volume.used;
  let used = previous;
  for (const { before, after } of vnodes) used += counted(after) - counted(before);
  if (used === previous) return;
  stage(ctx, { kind: 'used', volume: volume.id, used, previous });
  volume.used = used;
  ctx.state.collecting.used.set(volume.id, used);
  if (used > previous) makeWay(ctx, volume);
}

/** Each file counts once, however many names it has; its older versions do not. */
function counted(row: StoredVnode | null): number {
  if (row === null || row.status.kind !== 'file' || row.status.links === 0) return 0;
  return row.status.size;
}

/** What a reply tells of these volumes; nothing where no volume has a quota. */
export function roomsFor(
  ctx: Context,
  device: DeviceState,
  volumes: Iterable<VolumeId>,
): { rooms?: Room[] } {
  const rooms: Room[] = [];
  for (const id of volumes) {
    const volume = ctx.state.volumes.get(id);
    const room = volume === undefined ? null : roomFor(ctx, device, volume);
    if (room !== null) rooms.push(room);
  }
  return rooms.length === 0 ? {} : { rooms };
}

function roomFor(ctx: Context, device: DeviceState, volume: VolumeState): Room | null {
  const { id, limit, usedCommitted: used, grants, uploads } = volume;
  if (limit === null) {
    grants.clear();
    return null;
  }
  const free = Math.max(0, limit - used - (uploads.total - uploads.of(device.id)));
  const others = grantedToOthers(ctx, device.id, volume);
  const block = Math.min(Math.max(Math.floor(free / GRANT_SHARE), LEAST_GRANT), LARGEST_GRANT);
  if (others + block <= free / 2) grants.set(device.id, block);
  else grants.delete(device.id);
  return { volume: id, limit, used, free: Math.max(0, free - others) };
}

function grantedToOthers(
  { state, now }: Context,
  device: DeviceId,
  { grants, uploads }: VolumeState,
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
