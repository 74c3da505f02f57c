/** Reads that wait: for a store, or for a hidden update of another device; for a commit (Changes). The end of the wait begins them again. */
import type { DeviceId } from '../../../shared/model/change.ts';
import { unsharedIn, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { after, type Duration, type Instant } from '../../../shared/model/time.ts';
import { ASK_AGAIN, QUIET_AFTER } from '../../limits.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from './read-job.ts';

/** The job waits from now on; when `wait` is over it is begun again as a final one. */
export function startWait(ctx: Context, job: ReadJob, wait: Duration): void {
  job.waiting = true;
  if (job.timed) return;
  job.timed = true;
  ctx.state.deadlines.push({ at: after(ctx.now, wait), kind: 'read', job });
}

/** Until a mark of this vnode has ended. */
export function waitForStore(ctx: Context, job: ReadJob, fid: Fid): void {
  job.waitsOn = fid;
  ctx.state.volumes.of(fid).reads.waitForMark(job, fid);
  startWait(ctx, job, ctx.state.readerWait);
  if (!job.watched) watchQuiet(ctx, job);
}

/** Looks soon whether who it waits for still answers. */
export function watchQuiet(ctx: Context, job: ReadJob): void {
  job.watched = true;
  ctx.state.deadlines.push({ at: after(ctx.now, ASK_AGAIN), kind: 'quiet', job });
}

/** Ends the wait of a job, of either kind. */
export function endWait(ctx: Context, job: ReadJob): void {
  job.waiting = false;
  const { request, waitsOn } = job;
  const { volumes } = ctx.state;
  if (request.rpc === 'Changes') volumes.of(request.body.volume).reads.endPoll(job);
  if (waitsOn === null) return;
  job.waitsOn = null;
  volumes.of(waitsOn).reads.endWaitForMark(job, waitsOn);
}

/** A device has reported its hidden updates of this volume, or is away: reads that wait for it begin again at the end of this step. */
export function lookAgain(ctx: Context, volume: VolumeId): void {
  const { reads } = ctx.state.volumes.of(volume);
  beginAgain(ctx, [...reads.onMarkOf(unsharedIn(volume)), ...reads.pollers]);
}

/** The locks of the volume are others now: its polls begin again at the end of this step. */
export function pollAgain(ctx: Context, volume: VolumeId): void {
  beginAgain(ctx, [...ctx.state.volumes.of(volume).reads.pollers]);
}

function beginAgain(ctx: Context, jobs: readonly ReadJob[]): void {
  for (const job of jobs) {
    endWait(ctx, job);
    ctx.state.again.push(job);
  }
}

/** Away: its lease has run out (rule S4). A connection may go on for long after the other side has died. */
export function isAway(ctx: Context, id: DeviceId): boolean {
  const device = ctx.state.devices.get(id);
  return device === undefined || device.lease <= ctx.now;
}

/** It may be there, but has left a question unanswered for QUIET_AFTER: whether to hurry, or the break of a promise. Both are answered at once. */
export function isQuiet({ state, now }: Context, id: DeviceId): boolean {
  const isOver = (since: Instant): boolean => after(since, QUIET_AFTER) <= now;
  if (state.breaks.of(id).some((message) => isOver(message.since))) return true;
  for (const [message, pulls] of state.volumes.limits.pulls) {
    const pull = pulls.get(message);
    if (pull?.device === id && isOver(pull.since)) return true;
  }
  return false;
}

/** Reads do not wait for the device: it is away, or quiet. */
export const isOutOfReach = (ctx: Context, id: DeviceId): boolean =>
  isAway(ctx, id) || isQuiet(ctx, id);
