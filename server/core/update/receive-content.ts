/** The contents of a store: they arrive, are made durable, or never come. */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { LoadedRows } from '../commit/row-view.ts';
import { forget } from '../device/answer.ts';
import type { PendingUpdate } from '../device/device.ts';
import type { CallId } from '../events.ts';
import { reserve } from '../quota/reserve.ts';
import { viewOf, type Context } from '../state.ts';
import { beginUpdates } from './begin-updates.ts';
import { unparkFor } from './dependencies.ts';
import { endMarkOf, markDirty } from './dirty-mark.ts';
import { finishIfDone, giveUp } from './finish-update.ts';
import type { ReceiptJob, Receiving } from './jobs.ts';
import { beginRebuild, refuseContent } from './rebuild-content.ts';
import { isOther, refuseUpdate } from './refuse-copy.ts';
import { refuseForQuota } from './refuse-for-quota.ts';

interface Arrived {
  readonly path: string;
  readonly length: number;
  readonly digest: string;
}

/** What arrived is what was announced, or it is not committed: it may have been cut, or changed while being sent (W6). */
export function contentArrived(ctx: Context, call: CallId, content: Arrived): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving === undefined) {
    ctx.out.push({ kind: 'discard', path: content.path });
    return;
  }
  const { stream, pending } = receiving;
  pending.source = null;
  if (stream === null || !stream.delta) {
    // What came in pieces is sent whole the next time.
    const isWhole = stream === null || stream.offset === 0;
    ctx.state.whole.note(content.digest as Digest, content.length);
    takeContent(ctx, call, receiving, content, isWhole ? 'length-mismatch' : 'damaged-delta');
  } else if (stream.length !== content.length || stream.digest !== content.digest) {
    refuseContent(ctx, call, receiving, content.path, 'damaged-delta');
  } else {
    beginRebuild(ctx, call, receiving, content.path);
  }
}

/** A delta made this of its base: it is looked at as contents that arrive whole are. */
export function contentRebuilt(ctx: Context, call: CallId, content: Arrived): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving === undefined) ctx.out.push({ kind: 'discard', path: content.path });
  else takeContent(ctx, call, receiving, content, 'damaged-delta');
}

function takeContent(
  ctx: Context,
  call: CallId,
  receiving: Receiving,
  { path, length, digest }: Arrived,
  otherwise: ErrorCode,
): void {
  const { update } = receiving.pending;
  if (update.op !== 'store' || update.size !== length || update.digest !== digest) {
    refuseContent(ctx, call, receiving, path, otherwise);
    return;
  }
  receiving.keeping = true;
  ctx.out.push({ kind: 'keep', call, path, digest: digest as Digest });
}

/** The contents are durable: the update may be decided. */
export function contentKept(ctx: Context, call: CallId): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving === undefined) return;
  ctx.state.receiving.delete(call);
  const { pending } = receiving;
  pending.contents = true;
  if (pending.device.updates.get(pending.seq) === pending) beginUpdates(ctx, [pending]);
}

/** The contents could not be made durable: the update is let go. */
export function contentNotKept(ctx: Context, call: CallId, code: ErrorCode): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving === undefined) return;
  ctx.state.receiving.delete(call);
  giveUp(ctx, receiving.pending, code);
}

/**
 * A call ended without our answer. A store whose contents had not arrived is not on its way any more; its mark stays
 * unless the device took it back, for the device will try again.
 */
export function callAborted(ctx: Context, call: CallId, withdrawn: boolean): void {
  forget(ctx, call);
  const receiving = ctx.state.receiving.get(call);
  if (receiving === undefined || receiving.keeping) return;
  ctx.state.receiving.delete(call);
  const { pending } = receiving;
  giveUp(ctx, pending, null);
  if (withdrawn) endMarkOf(ctx, pending);
}

/** The rows of a store that may have been applied already, or may not fit: then its contents need not be waited for. */
export function receiptLoaded(ctx: Context, { pending, call }: ReceiptJob, rows: LoadedRows): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving?.pending !== pending) return;
  const { device, seq } = pending;
  const known = rows.row({ kind: 'applied', device: device.id, seq }) ?? null;
  if (known !== null && ctx.state.leases.isGrace) {
    // That it is done is not said in the grace; it need not come once more for that.
    if (!receiving.isMuch || isOther(known.name, pending.name)) return markDirty(ctx, pending);
    ctx.state.receiving.delete(call);
    return giveUp(ctx, pending, 'try-again');
  }
  if (known === null) {
    const tooMuch = reserve(ctx, pending, viewOf(ctx, rows));
    if (tooMuch === null) return markDirty(ctx, pending);
    refuseForQuota(ctx, pending, tooMuch);
    ctx.state.receiving.delete(call);
    return;
  }
  ctx.state.receiving.delete(call);
  ctx.state.volumes.of(pending.volume).quota.uploads.drop(pending);
  if (isOther(known.name, pending.name)) {
    refuseUpdate(ctx, pending);
    return;
  }
  pending.stage = 'decided';
  pending.result = known.result;
  pending.durable = true;
  finishIfDone(ctx, pending);
  beginUpdates(ctx, unparkFor(ctx, pending.device, pending.seq));
}

/** It is not known whether the update was applied: its contents are discarded as they come, and the device asks again. */
export function receiptNotLoaded(
  ctx: Context,
  pending: PendingUpdate,
  call: CallId,
  code: ErrorCode,
): void {
  if (ctx.state.receiving.get(call)?.pending !== pending) return;
  ctx.state.receiving.delete(call);
  giveUp(ctx, pending, code);
}
