/**
 * Dependencies between updates of a device (rule W4): an update waits until those it names are applied.
 *
 * One below the low water was answered, and counts as applied; one that was refused takes its dependents with it.
 */
import type { UpdateNonce, UpdateResult, UpdateSeq } from '../../../shared/model/update.ts';
import { MAX_DEVICE_WAITING, MAX_WAITING_UPDATES } from '../../limits.ts';
import type { RowView } from '../commit/row-view.ts';
import type { DeviceState, PendingUpdate } from '../device/device.ts';
import type { Context } from '../state.ts';
import { giveUp } from './finish-update.ts';
import { isOther } from './refuse-copy.ts';

/** The updates that it names whose results may be rows only. */
export function dependenciesToLoad({ device, after }: PendingUpdate): UpdateSeq[] {
  return after.filter(
    (seq) => seq >= device.lowWater && seq <= device.highest && !device.updates.has(seq),
  );
}

/** What is known of the updates that one names. */
export type DependencyState =
  | { readonly kind: 'applied' }
  /** What is known by the number that it names is another update (refuse-copy.ts). */
  | { readonly kind: 'copied' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'waits'; readonly for: UpdateSeq };

/** Whether the updates that this one names are applied. Only where `view` misses nothing. */
export function stateOfDependencies(pending: PendingUpdate, view: RowView): DependencyState {
  let waits: UpdateSeq | null = null;
  for (const [index, seq] of pending.after.entries()) {
    const name = pending.afterNames === null ? pending.name : (pending.afterNames[index] ?? null);
    const result = resultOf(pending.device, seq, name, view);
    if (result === 'another') return { kind: 'copied' };
    if (result === 'applied') continue;
    if (result === null) waits ??= seq;
    else if (!result.ok) return { kind: 'failed' };
  }
  return waits === null ? { kind: 'applied' } : { kind: 'waits', for: waits };
}

function resultOf(
  device: DeviceState,
  seq: UpdateSeq,
  name: UpdateNonce | null,
  view: RowView,
): UpdateResult | 'applied' | 'another' | null {
  if (seq < device.lowWater) return 'applied';
  const pending = device.updates.get(seq);
  if (pending !== undefined) return isOther(pending.name, name) ? 'another' : pending.result;
  const known = seq > device.highest ? null : view.applied(device.id, seq);
  if (known === null) return null;
  return isOther(known.name, name) ? 'another' : known.result;
}

/**
 * The update waits for another one; if too many do, it fails `try-again`. A device that is away brings
 * nothing that it could wait for: it begins anew, and sends again what it has no answer for.
 */
export function park(ctx: Context, pending: PendingUpdate, needed: UpdateSeq): void {
  const { device } = pending;
  if (device.connection === null && device.lease <= ctx.now) {
    giveUp(ctx, pending, null);
    return;
  }
  if (device.waiting >= MAX_DEVICE_WAITING || ctx.state.waitingUpdates >= MAX_WAITING_UPDATES) {
    giveUp(ctx, pending, 'try-again', 'too many updates wait for others');
    return;
  }
  pending.stage = 'parked';
  device.waiting++;
  ctx.state.waitingUpdates++;
  const others = device.parked.get(needed);
  if (others === undefined) device.parked.set(needed, new Set([pending]));
  else others.add(pending);
}

/** Takes the updates that wait for one of these out, in order. */
export function unpark(
  ctx: Context,
  device: DeviceState,
  isMet: (seq: UpdateSeq) => boolean,
): PendingUpdate[] {
  const freed: PendingUpdate[] = [];
  for (const [needed, updates] of [...device.parked]) {
    if (!isMet(needed)) continue;
    device.parked.delete(needed);
    freed.push(...updates);
  }
  device.waiting -= freed.length;
  ctx.state.waitingUpdates -= freed.length;
  return freed
    .filter((pending) => device.updates.get(pending.seq) === pending)
    .sort((a, b) => a.seq - b.seq);
}

/** `unpark` of those that wait for one update. */
export function unparkFor(ctx: Context, device: DeviceState, seq: UpdateSeq): PendingUpdate[] {
  return device.parked.has(seq) ? unpark(ctx, device, (needed) => needed === seq) : [];
}
