/** Reads that wait: for a store (Fetch), for a commit (Changes). Whoever ends the wait begins them again. */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { after, type Duration } from '../../../shared/model/time.ts';
import { present } from '../../../shared/util/assert.ts';
import type { Context, ReadJob, VolumeState } from '../state.ts';

/** The job waits from now on; when `wait` is over it is begun again as a final one. */
export function startWait(ctx: Context, job: ReadJob, wait: Duration): void {
  job.waiting = true;
  if (job.round > 0) return; // its deadline is set
  job.round++;
  ctx.state.deadlines.push({ at: after(ctx.now, wait), kind: 'read', job });
}

export function waitForStore(ctx: Context, job: ReadJob, fid: Fid, wait: Duration): void {
  const jobs = ctx.state.waitingFetches.get(fid);
  if (jobs === undefined) ctx.state.waitingFetches.set(fid, new Set([job]));
  else jobs.add(job);
  ctx.state.waitingFetchCount++;
  startWait(ctx, job, wait);
}

/** Ends the wait of a job, whatever it waited for. */
export function endWait(ctx: Context, job: ReadJob): void {
  job.waiting = false;
  const { request } = job;
  if (request.rpc === 'Changes') {
    ctx.state.volumes.get(request.body.volume)?.pollers.delete(job);
    return;
  }
  if (request.rpc !== 'Fetch') return;
  const jobs = ctx.state.waitingFetches.get(request.body.fid);
  if (jobs?.delete(job) !== true) return;
  ctx.state.waitingFetchCount--;
  if (jobs.size === 0) ctx.state.waitingFetches.delete(request.body.fid);
}

export function volumeState(ctx: Context, volume: VolumeId): VolumeState {
  return present(ctx.state.volumes.get(volume), 'a volume with rights is there', { volume });
}
