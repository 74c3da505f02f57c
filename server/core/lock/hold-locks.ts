/**
 * User locks are released, broken and lost (rules K1 to K5); how they are granted is in read/answer-lock.ts.
 *
 * Invariants
 * 1. A lock ends with its release, with the lease of its device, with the right to write, and with its file. A broken one ends so too (K5).
 * 2. Whoever follows the volume hears of each change.
 */
import { volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { fail, reply } from '../device/answer.ts';
import { mayDo, type DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import type { Context } from '../state.ts';
import type { VnodeStep } from '../volume/decision.ts';
import { tellFollowers } from '../callback/tell-followers.ts';

/** ReleaseLock: the device's own ends at once; those of others end when they have heard that they are broken. */
export function answerRelease(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  { fid, broken }: RequestOf<'ReleaseLock'>,
): void {
  const volume = volumeOf(fid);
  const { locks } = ctx.state.volumes.of(volume);
  if (broken !== true) {
    if (locks.remove(fid, device.id)) tellFollowers(ctx, volume, device.id);
    return reply(ctx, device, call, { rpc: 'ReleaseLock', body: { left: 0 } });
  }
  if (!mayDo(device, volume, 'lock')) return fail(ctx, device, call, 'no-right');
  const others = locks.of(fid).filter((held) => held.device !== device.id);
  for (const held of others)
    if (held.brokenBy === null) locks.put(fid, { ...held, brokenBy: device.id });
  if (others.some((held) => held.brokenBy === null)) tellFollowers(ctx, volume, device.id);
  reply(ctx, device, call, { rpc: 'ReleaseLock', body: { left: others.length } });
}

/** The device is away, or lost the right to write: its locks end in these volumes; left out: in all. */
export function loseLocks(
  ctx: Context,
  { id }: DeviceState,
  isLost: (volume: VolumeId) => boolean = () => true,
): void {
  for (const { id: volume, locks } of ctx.state.volumes) {
    if (locks.size === 0 || !isLost(volume)) continue;
    const lost = locks.ofDevice(id);
    for (const fid of lost) locks.remove(fid, id);
    if (lost.length > 0) tellFollowers(ctx, volume, id);
  }
}

/**
 * An update was accepted: locks end with their files, and go on with what is renamed over those (rule W3). Others ask anew, for the update breaks
 * their promises.
 */
export function keepLocks(ctx: Context, update: Update, vnodes: readonly VnodeStep[]): void {
  const { locks } = ctx.state.volumes.of(update.fid);
  if (locks.size === 0) return;
  if (update.op === 'rename' && update.over !== null && locks.of(update.fid).length === 0) {
    for (const held of locks.of(update.over.fid)) locks.put(update.fid, held);
  }
  for (const { after } of vnodes) {
    if (after.status.links === 0) locks.removeAll(after.status.fid);
  }
}
