/**
 * Server pull (rules S2, S5; MFS, section 5): a read of a file waits for the hidden update of another device, which is asked to hurry.
 *
 * The device answers with the files whose updates are not coming, because its queue is paused or they are blocked. Reads stop waiting for
 * these, and get the last committed version, marked as behind (S4).
 *
 * While reads wait, the device is asked again at intervals, so that a lost connection is noticed. Reads stop waiting for a device that leaves
 * a question unanswered for QUIET_AFTER, with the same result. Its vnodes stay marked, and are promised to no other device; once its
 * connection works again it answers, and reads wait for it as before.
 *
 * Invariants
 * 1. A device is asked for a file once at a time; other reads of it wait for the same answer.
 * 2. Each question ends: with its answer, or with its connection.
 * 3. A read that waits on a vnode has one look at its writers in the heap.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { unsharedIn, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { DeviceState } from '../device/device.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { isAway, isOutOfReach, isQuiet, watchQuiet } from '../wait/waiting-read.ts';
import { readDeadline } from './wake-reads.ts';

/** Asks each device that is there and has something of it hidden to hurry. */
export function pull(ctx: Context, fid: Fid, reader: DeviceId): void {
  for (const id of ctx.state.volumes.of(fid).marks.writersOf(fid, reader)) {
    const device = ctx.state.devices.get(id);
    if (device !== undefined) ask(ctx, device, fid);
  }
}

function ask(ctx: Context, { id: device, connection }: DeviceState, fid: Fid): void {
  const { pulls } = ctx.state.volumes.of(fid);
  if (connection?.takesPulls !== true || pulls.isAsked(device, fid)) return;
  const id = ctx.state.breaks.nextNumber();
  pulls.begin(id, { device, fid, since: ctx.now });
  ctx.out.push({ kind: 'pull', pull: id, connection: connection.id, fids: [fid] });
}

/** Takes the answer to a pull. `held`: the updates of these vnodes are not coming. Without an answer it is empty, and reads go on waiting. */
export function pulled(ctx: Context, id: number, held: readonly Fid[]): void {
  const pulls = ctx.state.volumes.limits.pulls.get(id);
  const pull = pulls?.get(id) ?? null;
  pulls?.end(id);
  if (pull !== null && held.includes(pull.fid)) notComing(ctx, pull.device, pull.fid);
}

/** The device sends no update of the vnode now: reads that wait for no other device are answered. */
export function notComing(ctx: Context, device: DeviceId, fid: Fid): void {
  const { reads, marks } = ctx.state.volumes.of(fid);
  for (const job of reads.onMarkOf(fid)) {
    const isComing = marks
      .writersOf(fid, job.device.id)
      .some((other) => other !== device && !isOutOfReach(ctx, other));
    if (!isComing) readDeadline(ctx, job);
  }
}

/** A deadline of a read that waits, or did: answers it if all devices are quiet, and asks them once more if not. */
export function whileWaiting(ctx: Context, job: ReadJob): void {
  job.watched = false;
  const { waitsOn } = job;
  if (waitsOn === null) return;
  const there = ctx.state.volumes
    .of(waitsOn)
    .marks.writersOf(waitsOn, job.device.id)
    .filter((writer) => !isAway(ctx, writer));
  if (there.length > 0 && there.every((writer) => isQuiet(ctx, writer))) {
    return readDeadline(ctx, job);
  }
  // For an unshared subject the break of its promise is the question.
  if (waitsOn !== unsharedIn(volumeOf(waitsOn))) pull(ctx, waitsOn, job.device.id);
  watchQuiet(ctx, job);
}
