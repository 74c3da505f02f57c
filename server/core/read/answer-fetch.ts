/**
 * Fetch: the contents of a file.
 *
 * One that another device is about to change, or that has no contents yet (rule W2), waits for the store; not for ever
 * (rule S4): then the answer is what there is, and says that it is behind.
 */
import { lacksContents, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { MAX_WAITING_FETCHES } from '../../limits.ts';
import { grant } from '../callback/grant.ts';
import type { LoadedRows, RowView } from '../commit/row-view.ts';
import { fail, failAfter, reply, replyAfter } from '../device/answer.ts';
import type { ReplyContent } from '../events.ts';
import { contentOf } from '../known-content.ts';
import { reveal, unsharedWith } from '../share/unshared.ts';
import { sharedFor } from '../share/verdict.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { isOutOfReach, waitForStore } from '../wait/waiting-read.ts';
import { pull } from './server-pull.ts';

type FetchRequest = RequestOf<'Fetch'>;

/** Answers with the present contents; or waits for a store, or for what is hidden of it. */
export function answerFetch(
  ctx: Context,
  job: ReadJob,
  view: RowView,
  request: FetchRequest,
  rows: LoadedRows,
): void {
  const { device, call } = job;
  const { fid } = request;
  const status = view.live(fid)?.status ?? null;
  if (status === null) {
    failAfter(ctx, view.newestGroup, device, call, 'no-such-vnode');
    return;
  }
  const hidden = reveal(ctx, job, [fid]);
  if (hidden === 'waits') return;
  const { marks, monitor } = ctx.state.volumes.of(fid);
  const isDirty = marks.isDirtyFor(fid, device.id);
  if ((isDirty || lacksContents(status)) && mayWait(ctx, job, fid)) {
    waitForStore(ctx, job, fid);
    pull(ctx, fid, device.id);
    return;
  }
  monitor.used(fid, device.id, ctx.now);
  if (lacksContents(status)) {
    failAfter(ctx, view.newestGroup, device, call, 'no-contents');
    return;
  }
  const behind = isDirty || hidden === 'unknown';
  const number = behind ? null : grant(ctx, device, [fid]);
  const body = {
    status,
    behind,
    grant: number,
    ...unsharedWith(ctx, device, fid, number, request.wished),
    ...sharedFor(ctx, device, fid),
  };
  const isThere = request.unless !== undefined && request.unless === status.version;
  const content = isThere ? null : contentFor(request, rows, status);
  replyAfter(ctx, view.newestGroup, device, call, { rpc: 'Fetch', body }, content);
}

/** Answers with exactly the version that was named; `status` is the newest that had it, or null where none is kept. */
export function answerVersion(
  ctx: Context,
  job: ReadJob,
  request: FetchRequest,
  rows: LoadedRows,
  status: VnodeStatus | null,
): void {
  const { device, call } = job;
  if (status === null) fail(ctx, device, call, 'version-gone');
  else if (lacksContents(status)) fail(ctx, device, call, 'no-contents');
  else {
    const body = { status, behind: false, grant: null, ...sharedFor(ctx, device, request.fid) };
    reply(ctx, device, call, { rpc: 'Fetch', body }, contentFor(request, rows, status));
  }
}

/** Somebody who is there may store it, and not too many reads wait. */
export function mayWait(ctx: Context, job: ReadJob, fid: Fid): boolean {
  const { volumes } = ctx.state;
  if (job.final || volumes.limits.waitingFetches.count >= MAX_WAITING_FETCHES) return false;
  const writers = volumes.of(fid).marks.writersOf(fid, job.device.id);
  return writers.length === 0 || writers.some((writer) => !isOutOfReach(ctx, writer));
}

/** What is to be sent, and what of it the requester has already: another version of this file (rule D2). */
function contentFor(
  { fid, base, begun }: FetchRequest,
  rows: LoadedRows,
  status: VnodeStatus,
): ReplyContent | null {
  const content = contentOf(status);
  if (content === null || (base === undefined && begun === undefined)) return content;
  const known =
    base === undefined ? null : (rows.row({ kind: 'version', fid, version: base }) ?? null);
  const older = known === null ? null : contentOf(known);
  return {
    ...content,
    held: {
      base: older === null || base === undefined ? null : { ...older, version: base },
      begun: begun ?? [],
    },
  };
}
