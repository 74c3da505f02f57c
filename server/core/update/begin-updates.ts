/**
 * From "received" to "its rows are being loaded": updates that may be decided, as far as memory can tell.
 *
 * In the grace after a restart none is, not even one that was applied before: somebody may still use a promise of the
 * process before (rule P1), and its answer would say that nobody does.
 */
import { beginLoad } from '../commit/group-commit.ts';
import { KeySet } from '../commit/row-key.ts';
import type { DeviceState, PendingUpdate } from '../device/device.ts';
import type { Context } from '../state.ts';
import { planUpdate } from '../volume/decide.ts';
import { dependenciesToLoad } from './dependencies.ts';
import type { UpdatesJob } from './jobs.ts';

/** Asks for the rows by which these are decided; in the grace it holds them. */
export function beginUpdates(ctx: Context, updates: readonly PendingUpdate[]): void {
  if (updates.length === 0) return;
  if (ctx.state.leases.isGrace) {
    for (const pending of updates) hold(ctx, pending);
    return;
  }
  for (const [device, its] of byDevice(updates)) {
    for (const pending of its) pending.stage = 'loading';
    if (its.length <= ctx.state.updatesAtOnce) loadUpdates(ctx, its, AT_ONE_GO);
    else if (device.batches.push(its) === 1) loadUpdates(ctx, its, AS_BATCH);
  }
}

/** The first batch of the device is decided: on to the next. */
export function batchEnded(ctx: Context, device: DeviceState): void {
  device.batches.shift();
  const [next] = device.batches;
  if (next !== undefined) loadUpdates(ctx, next, AS_BATCH);
}

type Progress = Pick<UpdatesJob, 'extra' | 'round' | 'isBatch'>;

const AT_ONE_GO: Progress = { extra: [], round: 0, isBatch: false };
const AS_BATCH: Progress = { ...AT_ONE_GO, isBatch: true };

/** Asks for the rows of a few, in their order: the rest follows when those are decided, and other devices go between. */
export function loadUpdates(
  ctx: Context,
  updates: readonly PendingUpdate[],
  progress: Progress,
): void {
  const keys = new KeySet();
  for (const key of progress.extra) keys.add(key);
  const { updatesAtOnce: most } = ctx.state;
  const [now, rest] = [updates.slice(0, most), updates.slice(most)];
  for (const pending of now) {
    const { device, seq } = pending;
    if (seq <= device.highest) keys.add({ kind: 'applied', device: device.id, seq });
    for (const needed of dependenciesToLoad(pending)) {
      keys.add({ kind: 'applied', device: device.id, seq: needed });
    }
    planUpdate(pending.update, pending.volume, keys);
  }
  beginLoad(ctx, keys.list(), { kind: 'updates', updates: now, rest, ...progress });
}

function byDevice(updates: readonly PendingUpdate[]): Map<DeviceState, PendingUpdate[]> {
  const found = new Map<DeviceState, PendingUpdate[]>();
  for (const pending of updates) {
    const its = found.get(pending.device);
    if (its === undefined) found.set(pending.device, [pending]);
    else its.push(pending);
  }
  return found;
}

function hold(ctx: Context, pending: PendingUpdate): void {
  pending.stage = 'held';
  pending.device.waiting++;
  ctx.state.waitingUpdates++;
  ctx.state.volumes.of(pending.volume).held.push(pending);
}

/** The grace is over: every update received in it is begun, of each volume in order. */
export function endGrace(ctx: Context): void {
  const { leases, volumes } = ctx.state;
  if (!leases.isGrace) return;
  leases.endGrace();
  const held = [...volumes].flatMap((volume) => volume.held.splice(0));
  for (const pending of held) {
    pending.device.waiting--;
    ctx.state.waitingUpdates--;
  }
  beginUpdates(
    ctx,
    held.filter((pending) => pending.device.updates.get(pending.seq) === pending),
  );
}
