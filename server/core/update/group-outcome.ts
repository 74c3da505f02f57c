/** A group is durable, or failed: memory follows, and what waited for it goes on, or fails. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { beginLoad } from '../commit/group-commit.ts';
import { fail, send } from '../device/answer.ts';
import { beginRead } from '../read/begin-read.ts';
import { wakePollers } from '../read/wake-reads.ts';
import type { Context, Group } from '../state.ts';
import { finishIfDone, giveUp } from './finish-update.ts';

/** Takes a group that became durable: requests that waited for it are answered, or begin again. */
export function committed(ctx: Context, id: number): void {
  const { commits, volumes } = ctx.state;
  const group = commits.becameDurable(id);
  for (const [volume, head] of group.heads) volumes.of(volume).head.isDurable(head);
  for (const [volume, used] of group.used) volumes.of(volume).quota.usedIsDurable(used);
  for (const pending of group.updates) {
    pending.durable = true;
    finishIfDone(ctx, pending);
  }
  for (const held of group.replies) send(ctx, held);
  for (const job of group.reads) beginRead(ctx, job);
  for (const volume of group.heads.keys()) wakePollers(ctx, volume);
}

/** The group failed, and the one decided upon it: nothing of them happened. The calls that wait fail with `code`; devices may ask again. */
export function failed(ctx: Context, id: number, code: ErrorCode): void {
  const groups = ctx.state.commits.failing(id);
  takeBack(ctx, groups, code);
  for (const group of groups) {
    for (const pending of group.updates) giveUp(ctx, pending, code);
    for (const { device, effect } of group.replies) fail(ctx, device, effect.call, code);
    for (const job of group.reads) beginRead(ctx, job);
  }
}

/** Memory is as it was before these groups, and loads that may have seen something of them begin again. */
function takeBack(ctx: Context, groups: readonly Group[], code: ErrorCode): void {
  const { state } = ctx;
  for (const group of groups.toReversed()) {
    for (const undo of group.undo.toReversed()) undo(ctx, code);
  }
  for (const volume of state.volumes) volume.dropStaged();
  state.rows.clear();
  // What was done about a revoked device was taken back too.
  state.accessDoubts += 1;
  for (const { keys, job } of state.commits.dropFailed()) beginLoad(ctx, keys, job);
}
