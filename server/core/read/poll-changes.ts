/**
 * The change feed (rule P4), and the promise for a whole volume that comes with it.
 *
 * "Something to tell" is a commit, or a promise that is asked for, not held, and can be given: so a device that waits
 * at the head with `promise` has its promise at once, and the next answer comes with the next change.
 */
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { EpochCut, FeedPage } from '../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { POLL_WAIT } from '../../limits.ts';
import { fail, reply } from '../device/answer.ts';
import { grant } from '../callback/grant.ts';
import type { Context, ReadJob } from '../state.ts';
import { beginLoad } from '../commit/group-commit.ts';
import { broughtWith } from './brought.ts';
import { fitting, weightOfChange } from './page-weight.ts';
import { takeBack, unsharedWith } from '../share/unshared.ts';
import { startWait, volumeState } from '../wait/waiting-read.ts';

type Request = RequestOf<'Changes'>;

export function pollOrLoad(ctx: Context, job: ReadJob, request: Request): void {
  const volume = volumeState(ctx, request.volume);
  const { since, limit } = request;
  if (since > volume.committed) {
    fail(ctx, job.device, job.call, 'history-gone', 'that commit is yet to come');
  } else if (isLost(volume.cuts, since)) {
    fail(ctx, job.device, job.call, 'history-gone', 'that commit was lost (rule I1)');
  } else if (since < volume.committed) {
    beginLoad(ctx, [{ kind: 'changes', volume: volume.id, since, limit }], job);
  } else {
    const promised = job.final || !ctx.state.promises.has(volume.id, job.device.id);
    const number = promised ? volumeGrant(ctx, job, request, since) : null;
    if (number === null && request.wait && !job.final) {
      volume.pollers.add(job);
      startWait(ctx, job, POLL_WAIT);
      return;
    }
    const body = {
      commits: [],
      upTo: since,
      head: volume.committed,
      grant: number,
      ...unsharedWith(ctx, job.device, volume.id, number),
    };
    reply(ctx, job.device, job.call, { rpc: 'Changes', body });
  }
}

/** A commit of a lost part of the history (rule I1): its number means nothing here. */
export function isLost(cuts: readonly EpochCut[], commit: CommitNumber): boolean {
  return cuts.some(({ last, first }) => last < commit && commit < first);
}

/** The store may hold a group of which it has not told us yet; nobody hears of that before we do. */
export function tellChanges(ctx: Context, job: ReadJob, request: Request, page: FeedPage): void {
  const { committed } = volumeState(ctx, request.volume);
  const known = page.commits.filter(({ commit }) => commit <= committed);
  const commits = fitting(known, weightOfChange);
  const last = commits.at(-1);
  const cut = last !== undefined && commits.length < known.length;
  const seen = page.upTo < committed ? page.upTo : committed;
  const upTo = cut ? last.commit : seen;
  const number = volumeGrant(ctx, job, request, upTo);
  const brought = broughtWith(ctx.state.whole, job, request, commits);
  const body = {
    commits: [...commits],
    upTo,
    head: committed,
    grant: number,
    ...unsharedWith(ctx, job.device, request.volume, number),
    ...(brought === null ? {} : { brought: brought.status.fid }),
  };
  reply(ctx, job.device, job.call, { rpc: 'Changes', body }, brought?.content ?? null);
}

/** A promise for the volume, where the answer leaves nothing untold and nothing is about to change by others. */
function volumeGrant(
  ctx: Context,
  job: ReadJob,
  request: Request,
  upTo: CommitNumber,
): GrantNumber | null {
  const volume = volumeState(ctx, request.volume);
  if (!request.promise || upTo !== volume.staged) return null;
  ctx.state.monitor.used(volume.id, job.device.id, ctx.now);
  takeBack(ctx, volume.id, job.device.id);
  if (ctx.state.dirty.isVolumeDirtyFor(volume.id, job.device.id)) return null;
  return grant(ctx, job.device, [volume.id]);
}
