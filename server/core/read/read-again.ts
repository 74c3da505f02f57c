/** A read that met a change under way: it is begun again when that is durable. */
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';

/** After `group` is durable; where it is already, after the group that is being written, or else with the next step. */
export function readAgain(ctx: Context, job: ReadJob, group: number): void {
  const { commits, again } = ctx.state;
  const awaited = commits.notDurable(group);
  if (awaited === null) again.push(job);
  else awaited.reads.push(job);
}
