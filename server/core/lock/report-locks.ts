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
  if (connection?.takesLocks !== true) return {};
  const all = [...volumes].map((volume) => {
    return { volume, revision: state.volumes.of(volume).locks.revision };
  });
  const locks = all.filter(({ revision }) => revision > 0);
  return locks.length === 0 ? {} : { locks };
}

/** The same of one volume, with an answer about it. */
export function locksWith(
  { state }: Context,
  { connection }: DeviceState,
  volume: VolumeId,
): { locks?: number } {
  const { revision } = state.volumes.of(volume).locks;
  return connection?.takesLocks === true && revision > 0 ? { locks: revision } : {};
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

/** A lock as others see it, with the names of its holder. */
export function told({ devices }: ServerState, fid: Fid, held: HeldLock): FileLock {
  const holder = devices.get(held.device);
  const { name: deviceName = 'a laptop', userName: user = 'somebody' } = holder ?? {};
  return { fid, ...held, deviceName, user };
}
