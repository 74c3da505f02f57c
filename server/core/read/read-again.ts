/** A read that met a change under way: it is begun again when that is durable. */
import type { Context, ReadJob } from '../state.ts';

/** After `group` is durable; where it is already, after the group that is being written, or else with the next step. */
export function readAgain(ctx: Context, job: ReadJob, group: number): void {
  const { state } = ctx;
  if (group > state.durableGroup) {
    const target = state.committing?.id === group ? state.committing : state.collecting;
    target.reads.push(job);
  } else {
    state.again.push(job);
  }
}
