/**
 * FetchDir: a page of a directory as of one durable commit.
 *
 * Its promise covers the directory (first page) and every status listed, all or nothing; so a page without a
 * commit of its own that met a change under way is taken again, a few times, rather than answered without one.
 */
import type { DirectoryPage, KeyOf } from '../../../shared/model/stored.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import type { StoredVnode } from '../../../shared/model/stored.ts';
import { MAX_ROUNDS } from '../../limits.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import { breakFor } from '../callback/breaking.ts';
import { grant } from '../callback/grant.ts';
import { vnodeKey } from '../commit/overlay.ts';
import { fail, reply } from '../device/answer.ts';
import type { DeviceState } from '../device/device.ts';
import { reveal, unsharedWith } from '../share/unshared.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { fitting, weightOfName, weightOfStatus } from './page-weight.ts';
import { readAgain } from './read-again.ts';

/** Answers with a page; or takes it again, or waits for what is hidden of it. */
export function answerDirectory(
  ctx: Context,
  job: ReadJob,
  request: RequestOf<'FetchDir'>,
  key: KeyOf<'directory'>,
  page: DirectoryPage,
): void {
  const { device, call } = job;
  const entries = fitting(page.entries, weightOfEntry);
  const covered: Fid[] = entries.map(({ status }) => status.fid);
  if (request.after === null) covered.unshift(request.fid);
  const newer = newestChange(ctx, [request.fid, ...covered], key.at);
  const settled = page.current && newer === null;
  if (!settled && request.at === null && job.round < MAX_ROUNDS) {
    job.round++;
    readAgain(ctx, job, newer ?? 0);
    return;
  }
  const { status } = page;
  if (status === null || status.links === 0) fail(ctx, device, call, 'no-such-vnode');
  else if (status.kind !== 'directory') fail(ctx, device, call, 'not-a-directory');
  else {
    const hidden = settled ? reveal(ctx, job, covered) : 'unknown';
    if (hidden === 'waits') return;
    const number = hidden === 'known' ? grantListed(ctx, device, covered) : null;
    const { marks, monitor } = ctx.state.volumes.of(request.fid);
    const dirty = covered.filter((fid) => marks.isDirtyFor(fid, device.id));
    const hears = device.connection?.takesUnshared === true && dirty.length > 0;
    if (request.after === null) monitor.used(request.fid, device.id, ctx.now);
    const body = {
      status,
      at: key.at,
      entries: [...entries],
      more: page.more || entries.length < page.entries.length,
      grant: number,
      ...(hears ? { behind: dirty } : {}),
      ...(request.after === null ? unsharedWith(ctx, device, request.fid, number) : {}),
    };
    reply(ctx, device, call, { rpc: 'FetchDir', body });
  }
}

/** PastDir: a page as a commit has it. Nothing in it changes, so it comes without a promise. */
export function answerPastDirectory(
  ctx: Context,
  { device, call }: ReadJob,
  page: DirectoryPage,
): void {
  const { status, more } = page;
  if (status === null || status.links === 0) return fail(ctx, device, call, 'no-such-vnode');
  if (status.kind !== 'directory') return fail(ctx, device, call, 'not-a-directory');
  const entries = fitting(page.entries, weightOfEntry);
  const body = { entries: [...entries], more: more || entries.length < page.entries.length };
  reply(ctx, device, call, { rpc: 'PastDir', body });
}

/**
 * A promise for everything listed; for what others are about to change it is broken in the same step. So one long upload
 * does not keep the whole directory from being promised.
 */
function grantListed(
  ctx: Context,
  device: DeviceState,
  covered: readonly Fid[],
): GrantNumber | null {
  const number = grant(ctx, device, covered);
  const dirty = covered.filter((fid) => ctx.state.volumes.isDirtyFor(fid, device.id));
  if (number !== null) breakFor(ctx, device, dirty);
  return number;
}

const weightOfEntry = ({ name, status }: DirectoryPage['entries'][number]): number =>
  weightOfName(name) + weightOfStatus(status);

/** The newest group that changes one of these after `at`, as far as loads may not show it yet; null: none. */
function newestChange(ctx: Context, fids: readonly Fid[], at: number): number | null {
  let newest: number | null = null;
  for (const fid of fids) {
    const staged = ctx.state.volumes.of(fid).rows.get(vnodeKey(fid));
    if (staged === undefined || (staged.value as StoredVnode).status.commit <= at) continue;
    newest = Math.max(newest ?? 0, staged.group);
  }
  return newest;
}
