/**
 * SetLock: a user lock is granted (rules K1 to K5).
 *
 * Invariants
 * 1. Granted is what no lock of another is in the way of, and only when hidden updates of others have come or are not coming (K2).
 * 2. In the grace after a start only locks are granted that devices had before it (K4).
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { MAX_DEVICE_LOCKS, MAX_HOLDERS_TOLD, MAX_LOCKS } from '../../../shared/wire/limits.ts';
import { wallTime, type WallTime } from '../../../shared/model/time.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import type { RowView } from '../commit/row-view.ts';
import { fail, failAfter, replyAfter } from '../device/answer.ts';
import { mayDo } from '../device/device.ts';
import type { HeldLock } from '../lock/file-locks.ts';
import { tellFollowers } from '../callback/tell-followers.ts';
import { told } from '../lock/report-locks.ts';
import { reveal } from '../share/unshared.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { waitForStore } from '../wait/waiting-read.ts';
import { mayWait } from './answer-fetch.ts';
import { pull } from './server-pull.ts';

type SetLock = RequestOf<'SetLock'>;

/** Grants the lock, or names who is in the way; waits for hidden updates of others first. */
export function answerSetLock(ctx: Context, job: ReadJob, view: RowView, request: SetLock): void {
  const { device, call } = job;
  const { fid, mode } = request;
  const volume = volumeOf(fid);
  if (!mayDo(device, volume, 'lock')) return fail(ctx, device, call, 'no-right');
  const status = view.live(fid)?.status ?? null;
  if (status?.kind !== 'file') {
    return failAfter(ctx, view.newestGroup, device, call, 'no-such-vnode');
  }
  const { locks } = ctx.state.volumes.of(volume);
  const inTheWay = hindrances(ctx, device.id, fid, mode);
  const { commit } = status;
  if (inTheWay.length > 0) {
    const heldBy = inTheWay.slice(0, MAX_HOLDERS_TOLD).map((held) => told(ctx.state, fid, held));
    const body = { heldBy, commit, revision: locks.revision };
    return replyAfter(ctx, view.newestGroup, device, call, { rpc: 'SetLock', body });
  }
  const refusal = refusalOf(ctx, device.id, request);
  if (refusal !== null) return fail(ctx, device, call, refusal);
  const hidden = hiddenFrom(ctx, job, fid);
  if (hidden === 'waits') return;
  const before = locks.own(fid, device.id);
  const since = before?.since ?? sinceOf(request, ctx.wall);
  if (before?.mode !== mode) {
    locks.put(fid, { device: device.id, mode, since, brokenBy: null });
    tellFollowers(ctx, volume, device.id);
  }
  const behind = hidden === 'behind' ? { behind: true } : {};
  const body = { commit, revision: locks.revision, since, ...behind };
  replyAfter(ctx, view.newestGroup, device, call, { rpc: 'SetLock', body });
}

/** As the device says, which nobody relies on, as far as it can be: not before 1970, and not in the future. */
function sinceOf({ since }: SetLock, now: WallTime): WallTime {
  return since === undefined ? now : wallTime(Math.max(0, Math.min(since, now)));
}

/** Locks of others; or the device's own one if it was broken, which ends with this. */
function hindrances(ctx: Context, device: DeviceId, fid: Fid, mode: SetLock['mode']): HeldLock[] {
  const { id: volume, locks } = ctx.state.volumes.of(fid);
  const own = locks.own(fid, device);
  if (own === undefined || own.brokenBy === null) return locks.against(fid, device, mode);
  locks.remove(fid, device);
  tellFollowers(ctx, volume, device);
  return [own];
}

/** Why a lock that nobody is in the way of is not granted now; null: it is. */
function refusalOf(
  { state }: Context,
  device: DeviceId,
  { fid, again }: SetLock,
): ErrorCode | null {
  const { locks } = state.volumes.of(fid);
  if (locks.own(fid, device) !== undefined) return null;
  if (state.leases.isGrace && again !== true) return 'try-again';
  const isFull = locks.size >= MAX_LOCKS || locks.ofDevice(device).length >= MAX_DEVICE_LOCKS;
  return isFull ? 'too-many-locks' : null;
}

/**
 * Whoever has something of the file hidden is asked for it, and its lock is granted afterwards. `behind`: something is hidden, or may be, that is not
 * coming now.
 */
function hiddenFrom(ctx: Context, job: ReadJob, fid: Fid): 'waits' | 'behind' | 'nothing' {
  const { device } = job;
  const unshared = reveal(ctx, job, [fid]);
  if (unshared === 'waits') return 'waits';
  const { marks } = ctx.state.volumes.of(fid);
  const isDirty = marks.isDirtyFor(fid, device.id);
  if (!isDirty || !mayWait(ctx, job, fid)) {
    return isDirty || unshared === 'unknown' ? 'behind' : 'nothing';
  }
  waitForStore(ctx, job, fid);
  pull(ctx, fid, device.id);
  return 'waits';
}
