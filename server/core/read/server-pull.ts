/**
 * Server pull (rules S2, S5): who reads a file of which a laptop has an update hidden waits for it; so that laptop is asked to hurry.
 *
 * Its answer says of which files the update is not coming, since its queue is paused or it is blocked: then nobody waits for that any more, and
 * is told the last committed version, and that it is behind (S4).
 *
 * As long as somebody waits it is asked again and again, so that a line which is cut meanwhile is noticed: who leaves a question open for
 * QUIET_AFTER is not waited for, and the reader is told the same. What it has is marked all the while, and nobody is promised anything of it; when
 * its line is whole again it answers, and is waited for as before.
 *
 * Invariants
 * 1. A device is asked for a file once at a time; whoever reads it meanwhile waits for the same answer.
 * 2. Each question ends: with its answer, or with its connection.
 * 3. A read that waits on a vnode has one look at its writers in the heap.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import { unsharedIn, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { isAway, isOutOfReach, isQuiet, watchQuiet } from '../wait/waiting-read.ts';
import { readDeadline } from './wake-reads.ts';
import type { Context, DeviceState, ReadJob } from '../state.ts';

/** Asks everybody who is there and has something of it hidden. */
export function pull(ctx: Context, fid: Fid, reader: DeviceId): void {
  for (const id of ctx.state.dirty.writersOf(fid, reader)) {
    const device = ctx.state.devices.get(id);
    if (device !== undefined) ask(ctx, device, fid);
  }
}

function ask(ctx: Context, { id: device, connection }: DeviceState, fid: Fid): void {
  const { pulls } = ctx.state;
  if (connection?.takesPulls !== true) return;
  for (const pulled of pulls.values()) {
    if (pulled.device === device && pulled.fid === fid) return;
  }
  ctx.state.lastMessage += 1;
  const id = ctx.state.lastMessage;
  pulls.set(id, { device, fid, since: ctx.now });
  ctx.out.push({ kind: 'pull', pull: id, connection: connection.id, fids: [fid] });
}

/** `held`: of these nothing is coming. Of a question that ended without an answer nothing is known: whoever waits waits on. */
export function pulled(ctx: Context, id: number, held: readonly Fid[]): void {
  const asked = ctx.state.pulls.get(id);
  ctx.state.pulls.delete(id);
  if (asked === undefined || !held.includes(asked.fid)) return;
  notComing(ctx, asked.device, asked.fid);
}

/** Nothing of it is coming from this device: who waits for nobody else is answered. */
export function notComing(ctx: Context, device: DeviceId, fid: Fid): void {
  for (const job of [...(ctx.state.waitingFetches.get(fid) ?? [])]) {
    const isComing = ctx.state.dirty
      .writersOf(fid, job.device.id)
      .some((other) => other !== device && !isOutOfReach(ctx, other));
    if (!isComing) readDeadline(ctx, job);
  }
}

/** A read waits, or did: is somebody there for whom it is worth it? They are asked once more. */
export function whileWaiting(ctx: Context, job: ReadJob): void {
  job.watched = false;
  const { waitsOn } = job;
  if (waitsOn === null) return;
  const there = ctx.state.dirty
    .writersOf(waitsOn, job.device.id)
    .filter((writer) => !isAway(ctx, writer));
  if (there.length > 0 && there.every((writer) => isQuiet(ctx, writer))) {
    return readDeadline(ctx, job);
  }
  // Of what is somebody's own the break of its promise is the question.
  if (waitsOn !== unsharedIn(volumeOf(waitsOn))) pull(ctx, waitsOn, job.device.id);
  watchQuiet(ctx, job);
}
