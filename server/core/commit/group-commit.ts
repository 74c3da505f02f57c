/** Rows of a step: staged into the group that is being collected, and asked for (commit-pipeline.ts). */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { RowKey, RowWrite } from '../../../shared/model/stored.ts';
import type { Context, Job, Undo } from '../state.ts';
import type { Overlay, Staged } from './overlay.ts';

/** Adds a row to the group that is being collected. */
export function stage(ctx: Context, write: RowWrite): void {
  ctx.state.commits.stage(write);
}

/** Shows the row to all reads of that overlay from now on. `key` is the text of a row key, or `parentKey`. */
export function show(ctx: Context, overlay: Overlay, key: string, value: Staged['value']): void {
  const group = ctx.state.commits.collecting;
  overlay.stage(group.id, key, value);
  group.overlays.add(overlay);
}

/** Says what takes a change of memory back if the group being collected fails. The last change is taken back first. */
export function onFailure(ctx: Context, undo: Undo): void {
  ctx.state.commits.collecting.undo.push(undo);
}

/** Says what is done if a group of a message that may have staged nothing itself fails: its answer waits for that group (`replyAfter`). Nothing, where it is durable. */
export function onFailureOf(ctx: Context, group: number, undo: Undo): void {
  ctx.state.commits.notDurable(group)?.undo.push(undo);
}

/** Asks for rows. The job goes on with them in another step (server.ts). */
export function beginLoad(ctx: Context, keys: readonly RowKey[], job: Job): void {
  const adds = job.kind === 'updates';
  const ticket = ctx.state.commits.beginLoad({ keys, job }, adds);
  ctx.out.push({ kind: 'load', ticket, keys, whose: whose(job), adds });
}

/** The end of each step: a group that may be closed is committed. */
export function settleGroups(ctx: Context): void {
  const group = ctx.state.commits.settle();
  if (group !== null) ctx.out.push({ kind: 'commit', group: group.id, writes: group.writes });
}

/** Loads before it is known who asks. */
const NOBODY: DeviceId = 0;

function whose(job: Job): DeviceId {
  switch (job.kind) {
    case 'hello':
      return NOBODY;
    case 'read':
    case 'announced':
      return job.device.id;
    case 'updates':
      return job.updates[0]?.device.id ?? NOBODY;
    default:
      return job.pending.device.id;
  }
}
