/**
 * A store that the quota of its volume does not let in.
 *
 * Nothing is recorded for its number: its device holds it back and sends it again, the same update, when it may fit (rule
 * W7). Until then it is not on its way, so nobody waits for it; but it is hidden, and keeps its mark (S2, S4).
 */
import type { PendingUpdate } from '../device/device.ts';
import { notComing } from '../read/server-pull.ts';
import type { Context } from '../state.ts';
import { giveUp } from './finish-update.ts';

/** Refuses the store for now: its call fails `over-quota`. `growth`: bytes that it would let the volume grow by. */
export function refuseForQuota(ctx: Context, pending: PendingUpdate, growth: number): void {
  const { device, update } = pending;
  notComing(ctx, device.id, update.fid);
  const { name, quota } = ctx.state.volumes.of(pending.volume);
  const { limit, used, uploads } = quota;
  const others = uploads.total - uploads.heldBy(pending);
  const coming = others > 0 ? `, ${others} on their way` : '';
  const what = `${name}: ${used} of ${limit} bytes used${coming}, ${growth} more`;
  giveUp(ctx, pending, 'over-quota', what);
}
