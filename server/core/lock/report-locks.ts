/** User locks as devices hear of them: by a number with answers, and as a list when they ask. */
import { compareFids, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { FileLock } from '../../../shared/model/file-lock.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { reply } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import type { Context, ServerState } from '../state.ts';
import type { HeldLock } from './file-locks.ts';

/** Which state the locks of these volumes have, for a device that understands locks. */
export function locksFor(
  { state }: Context,
  { connection }: DeviceState,
  volumes: Iterable<VolumeId>,
): { locks?: Array<{ volume: VolumeId; revision: number }> } {
  const told = connection?.locksTold;
  if (!told) return {};
  const all = [...volumes].map((volume) => {
    return { volume, revision: state.volumes.of(volume).locks.revision };
  });
  for (const { volume, revision } of all) told.set(volume, revision);
  const locks = all.filter(({ revision }) => revision > 0);
  return locks.length === 0 ? {} : { locks };
}

/** The same of one volume, with an answer about it. */
export function locksWith(ctx: Context, device: DeviceState, volume: VolumeId): { locks?: number } {
  const revision = locksFor(ctx, device, [volume]).locks?.[0]?.revision;
  return revision === undefined ? {} : { locks: revision };
}

/** Whether the locks of the volume have changed since the device was told of them: that is worth an answer to a poll. */
export function hasUntoldLocks(
  { state }: Context,
  { connection }: DeviceState,
  volume: VolumeId,
): boolean {
  const told = connection?.locksTold;
  return told ? state.volumes.of(volume).locks.revision !== (told.get(volume) ?? 0) : false;
}

/** Locks: all of a volume, in the order of their files. */
export function listLocks(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  { volume }: RequestOf<'Locks'>,
): void {
  const { locks } = ctx.state.volumes.of(volume);
  const inOrder = [...locks.all()].sort(([one], [other]) => compareFids(one, other));
  const all = inOrder.flatMap(([fid, held]) => held.map((each) => told(ctx.state, fid, each)));
  reply(ctx, device, call, { rpc: 'Locks', body: { revision: locks.revision, locks: all } });
}

/** A lock as others see it, with the names of its holder and of who has broken it. */
export function told({ devices }: ServerState, fid: Fid, held: HeldLock): FileLock {
  const { device, mode, since, brokenBy } = held;
  const { name: deviceName = 'a laptop', userName: user = 'somebody' } = devices.get(device) ?? {};
  const breaker = brokenBy === null ? undefined : devices.get(brokenBy);
  return {
    ...{ fid, mode, device, deviceName, user, since, broken: brokenBy !== null },
    ...(breaker === undefined ? {} : { brokenBy: breaker.name }),
  };
}
