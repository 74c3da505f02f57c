/** Ends of waits: a store was decided or given up, a commit is durable, a time is over. */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { endWait } from '../wait/waiting-read.ts';
import { beginRead } from './begin-read.ts';

/** A dirty mark of the vnode has ended. */
export function wakeFetches(ctx: Context, fid: Fid): void {
  for (const job of ctx.state.volumes.of(fid).reads.onMarkOf(fid)) wake(ctx, job);
}

/** The volume has a new durable commit, or something in it is dirty no more. */
export function wakePollers(ctx: Context, volume: VolumeId): void {
  for (const job of [...ctx.state.volumes.of(volume).reads.pollers]) wake(ctx, job);
}

/** The read waits no more: it is answered with what there is. */
export function readDeadline(ctx: Context, job: ReadJob): void {
  job.final = true;
  if (job.waiting) wake(ctx, job);
}

function wake(ctx: Context, job: ReadJob): void {
  endWait(ctx, job);
  beginRead(ctx, job);
}
