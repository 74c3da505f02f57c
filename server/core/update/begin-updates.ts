/**
 * From "received" to "its rows are being loaded": updates that may be decided, as far as memory can tell.
 *
 * In the grace after a restart none is, not even one that was applied before: somebody may still use a promise of the
 * process before (rule P1), and its answer would say that nobody does.
 */
import type { RowKey } from '../../../shared/model/stored.ts';
import type { Context, PendingUpdate } from '../state.ts';
import { planUpdate } from '../volume/decide.ts';
import { beginLoad } from '../volume/group-commit.ts';
import { KeySet } from '../volume/row-key.ts';
import { dependenciesToLoad } from './dependencies.ts';

export function beginUpdates(ctx: Context, updates: readonly PendingUpdate[]): void {
  if (updates.length === 0) return;
  if (ctx.state.grace !== null) {
    for (const pending of updates) hold(ctx, pending);
    return;
  }
  loadUpdates(ctx, updates, [], 0);
}

/** `extra`: rows that an earlier round found missing. */
export function loadUpdates(
  ctx: Context,
  updates: readonly PendingUpdate[],
  extra: readonly RowKey[],
  round: number,
): void {
  const keys = new KeySet();
  for (const key of extra) keys.add(key);
  for (const pending of updates) {
    pending.stage = 'loading';
    const { device, seq } = pending;
    if (seq <= device.highest) keys.add({ kind: 'applied', device: device.id, seq });
    for (const needed of dependenciesToLoad(pending)) {
      keys.add({ kind: 'applied', device: device.id, seq: needed });
    }
    planUpdate(pending.update, pending.volume.id, keys);
  }
  beginLoad(ctx, keys.list(), { kind: 'updates', updates, extra, round });
}

function hold(ctx: Context, pending: PendingUpdate): void {
  pending.stage = 'held';
  pending.device.waiting++;
  ctx.state.waitingUpdates++;
  ctx.state.heldUpdates.push(pending);
}

/** The grace is over: every update received in it, in order. */
export function endGrace(ctx: Context): void {
  if (ctx.state.grace === null) return;
  ctx.state.grace = null;
  const held = ctx.state.heldUpdates.splice(0);
  for (const pending of held) {
    pending.device.waiting--;
    ctx.state.waitingUpdates--;
  }
  beginUpdates(
    ctx,
    held.filter((pending) => pending.device.updates.get(pending.seq) === pending),
  );
}
