/**
 * Server pull (rules S2, S5): who reads a file of which a laptop has an update hidden waits for it; so that laptop is asked to hurry.
 *
 * Its answer says of which files the update is not coming, since its queue is paused or it is blocked: then nobody waits for that any more, and
 * gets the last committed version, which is said to be behind (S4).
 *
 * As long as somebody waits it is asked again and again, so that a connection which is cut meanwhile is noticed: who leaves a question open for
 * QUIET_AFTER is not waited for, and the reader gets the same. What it has is marked all the while, and nobody is promised anything of it; when
 * its connection is whole again it answers, and is waited for as before.
 *
 * Invariants
 * 1. A device is asked for a file once at a time; whoever reads it meanwhile waits for the same answer.
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

/** `held`: of these nothing is coming. Of a question that ended without an answer nothing is known: whoever waits waits on. */
export function pulled(ctx: Context, id: number, held: readonly Fid[]): void {
  const pulls = ctx.state.volumes.limits.pulls.get(id);
  const pull = pulls?.get(id) ?? null;
  pulls?.end(id);
  if (pull !== null && held.includes(pull.fid)) notComing(ctx, pull.device, pull.fid);
}

/** Nothing of it is coming from this device: who waits for nobody else is answered. */
export function notComing(ctx: Context, device: DeviceId, fid: Fid): void {
  const { reads, marks } = ctx.state.volumes.of(fid);
  for (const job of reads.onMarkOf(fid)) {
    const isComing = marks
      .writersOf(fid, job.device.id)
      .some((other) => other !== device && !isOutOfReach(ctx, other));
    if (!isComing) readDeadline(ctx, job);
  }
}

/** A deadline of a read that waits, or did: if somebody is there for whom it is worth it, they are asked once more. */
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
  // Of what is somebody's own the break of its promise is the question.
  if (waitsOn !== unsharedIn(volumeOf(waitsOn))) pull(ctx, waitsOn, job.device.id);
  watchQuiet(ctx, job);
}
