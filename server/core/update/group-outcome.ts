/** A group is durable, or failed: what waited for it goes on, or is told. */
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { fail, send } from '../device/answer.ts';
import { beginRead } from '../read/begin-read.ts';
import { wakePollers } from '../read/wake-reads.ts';
import type { Context } from '../state.ts';
import { finishIfDone, giveUp } from './finish-update.ts';
import { groupDurable, groupsFailed } from '../commit/group-commit.ts';

export function committed(ctx: Context, id: number): void {
  const group = groupDurable(ctx, id);
  for (const pending of group.updates) {
    pending.durable = true;
    finishIfDone(ctx, pending);
  }
  for (const held of group.replies) send(ctx, held);
  for (const job of group.reads) beginRead(ctx, job);
  for (const volume of group.heads.keys()) wakePollers(ctx, volume);
}

/** Nothing of it happened: whoever asked may ask again. */
export function failed(ctx: Context, id: number, code: ErrorCode): void {
  for (const group of groupsFailed(ctx, id, code)) {
    for (const pending of group.updates) giveUp(ctx, pending, code);
    for (const { device, effect } of group.replies) fail(ctx, device, effect.call, code);
    for (const job of group.reads) beginRead(ctx, job);
  }
}
