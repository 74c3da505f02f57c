/**
 * Forward invalidation (rules S2, S4; MFS, section 5.1): a device has updates that it can't send yet. The vnodes that they change are marked, so
 * that no other device gets a promise for them, and promises of them are broken. No call waits for these breaks.
 *
 * A message may come after its update was applied, since streams are not in order. So what the device has had an answer for, or may have, is
 * looked up, and its mark ends again.
 *
 * What could not be made durable is void, and its device reports everything again: after the failure of its call, or, as an acknowledgement has no
 * answer, in a new session. Until then more is hidden than is known (`isWhole`).
 */
import type { Fid } from '../../../shared/model/fid.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { nobodyTold } from '../callback/break-counts.ts';
import { breakPromises } from '../callback/breaking.ts';
import type { SubjectKey } from '../callback/promise-table.ts';
import { beginLoad, onFailureOf } from '../commit/group-commit.ts';
import type { LoadedRows } from '../commit/row-view.ts';
import { fail, replyAfter } from '../device/answer.ts';
import { mayStore, rightIn, type DeviceState } from '../device/device.ts';
import type { CallId, HiddenMarks } from '../events.ts';
import type { Announcements } from '../hidden/announcements.ts';
import { viewOf, type Context } from '../state.ts';
import { lookAgain } from '../wait/waiting-read.ts';
import { endDirtyMark, endMark, mayHaveMark, putMark } from './dirty-mark.ts';
import type { AnnouncedJob } from './jobs.ts';
import { refuseCall } from './refuse-copy.ts';

type Request = RequestOf<'ForwardInvalidate'>;
type Mark = Request['marks'][number];

/** ForwardInvalidate: marks what the device has hidden, and ends marks that it takes back. */
export function receiveInvalidation(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  request: Request,
): void {
  const { connection } = device;
  const announcements = connection?.announcements ?? null;
  if (connection?.isCopy === true) return refuseCall(ctx, device, call);
  if (announcements === null) {
    return fail(ctx, device, call, 'bad-message', 'its Hello did not say that it tells of updates');
  }
  const { number, marks, ends, complete } = request;
  if (!announcements.arrived(number, complete)) {
    return fail(ctx, device, call, 'try-again', 'too many later ones came before it');
  }
  takeMarks(ctx, device, announcements, number, marks);
  for (const fid of ends) if (announcements.says(number, fid)) announcements.ends(number, fid);
  endDue(ctx, device, announcements);
  sweep(ctx, device, announcements);
  const { newest } = ctx.state.commits;
  onFailureOf(ctx, newest, () => announcements.beginAgain());
  replyAfter(ctx, newest, device, call, { rpc: 'ForwardInvalidate', body: {} });
}

/** What a device has hidden of what was its own (rule S1), with the acknowledgement of the break that ended that. */
export function receiveHidden(ctx: Context, message: number, hidden: HiddenMarks): void {
  const { number, marks, more } = hidden;
  const holder = ctx.state.breaks.get(message)?.holder;
  const device = holder === undefined ? undefined : ctx.state.devices.get(holder.id);
  const connection = device?.connection ?? null;
  const announcements = connection?.announcements ?? null;
  if (device === undefined || connection === null || announcements === null) return;
  if (announcements.arrived(number, false)) takeMarks(ctx, device, announcements, number, marks);
  if (more) announcements.beginAgain();
  endDue(ctx, device, announcements);
  onFailureOf(ctx, ctx.state.commits.newest, (later) => {
    announcements.beginAgain();
    if (device.connection === connection)
      later.out.push({ kind: 'close', connection: connection.id });
  });
}

function takeMarks(
  ctx: Context,
  device: DeviceState,
  announcements: Announcements,
  number: number,
  marks: readonly Mark[],
): void {
  const counting = marks.filter(({ fid }) => {
    return announcements.says(number, fid) && mayMark(ctx, device, fid);
  });
  putMarks(ctx, device, counting);
  for (const { fid, seq } of counting) if (seq === null) announcements.marked(fid);
}

/** A message of the device was sent before these saves of it, in another order than it made them (rule S5). What they change is marked before anything of that message is committed. */
export function receiveReordered(
  ctx: Context,
  device: DeviceState,
  saves: readonly Mark[] = [],
): void {
  if (saves.length === 0) return;
  const fresh = saves.filter(({ fid, seq }) => {
    return mayMark(ctx, device, fid) && !isMarkedFor(ctx, device, fid, seq);
  });
  putMarks(ctx, device, fresh);
}

/** It is marked for that update, or for a later one that was reported. */
function isMarkedFor(
  { state }: Context,
  device: DeviceState,
  fid: Fid,
  seq: UpdateSeq | null,
): boolean {
  const mark = state.volumes.of(fid).marks.get(device.id, fid);
  return mark !== null && (mark.seq === null || mark.seq >= (seq ?? 0));
}

function putMarks(ctx: Context, device: DeviceState, marks: readonly Mark[]): void {
  const broken = new Set<SubjectKey>();
  const doubtful: AnnouncedJob['marks'][number][] = [];
  for (const { fid, seq } of marks) {
    if (seq !== null && seq < device.lowWater) continue;
    if (!mayHaveMark(ctx, device.id, fid)) continue;
    putMark(ctx, { fid, device: device.id, seq: lastOf(ctx, device, fid, seq) });
    if (seq !== null && seq <= device.highest) doubtful.push({ fid, seq });
    broken.add(fid);
    broken.add(volumeOf(fid));
  }
  const told = nobodyTold();
  breakPromises(ctx, [...broken], device.id, null, told);
  if (broken.size > 0) ctx.state.breakCounts.changed('hidden', told);
  if (doubtful.length === 0) return;
  const keys = doubtful.map(({ seq }) => ({ kind: 'applied', device: device.id, seq }) as const);
  beginLoad(ctx, keys, { kind: 'announced', device, marks: doubtful });
}

function mayMark(ctx: Context, device: DeviceState, fid: Fid): boolean {
  return rightIn(device, volumeOf(fid)) === 'write' && mayHaveMark(ctx, device.id, fid);
}

/** A store under way may be a later one. */
function lastOf(
  { state }: Context,
  device: DeviceState,
  fid: Fid,
  seq: UpdateSeq | null,
): UpdateSeq | null {
  const known = state.volumes.of(fid).marks.get(device.id, fid)?.seq ?? null;
  if (seq === null || known === null) return seq;
  return known > seq && device.updates.has(known) ? known : seq;
}

function endDue(ctx: Context, device: DeviceState, announcements: Announcements): void {
  for (const fid of announcements.takeEnded()) endAnnounced(ctx, device, fid);
}

/** A store of it that is under way keeps its mark: that is not the device's to end. One that will be refused for want of a right has none. */
function endAnnounced(ctx: Context, device: DeviceState, fid: Fid): void {
  let last: UpdateSeq | null = null;
  for (const { seq, update, volume, result } of device.updates.values()) {
    if (update.op !== 'store' || update.fid !== fid || result !== null) continue;
    if (mayStore(device, volume, update)) last = seq;
  }
  if (last === null) endMark(ctx, device.id, fid);
  else putMark(ctx, { fid, device: device.id, seq: last });
}

/** Ends marks of an earlier connection that name no update, and that were not reported again. */
function sweep(ctx: Context, device: DeviceState, announcements: Announcements): void {
  const reported = announcements.takeWhole();
  if (reported === null) return;
  for (const volume of device.rights.keys()) lookAgain(ctx, volume);
  for (const { fid, seq } of ctx.state.volumes.marksOf(device.id)) {
    if (seq === null && !reported.has(fid)) endMark(ctx, device.id, fid);
  }
}

/** Some of what was reported may have been applied before: those marks end. */
export function announcedLoaded(ctx: Context, job: AnnouncedJob, rows: LoadedRows): void {
  const view = viewOf(ctx, rows);
  for (const { fid, seq } of job.marks) {
    if (view.applied(job.device.id, seq) === null) continue;
    endDirtyMark(ctx, { device: job.device, seq, fid });
  }
}
