/**
 * The change feed (rule P4), and the promise for a whole volume that comes with it.
 *
 * What is worth an answer is a commit, locks or a quota that are others now, or a promise that is wanted, not held, and can be given: so a device that waits
 * at the head with `promise` has its promise at once, and the next answer comes with the next change.
 */
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { FeedPage } from '../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { POLL_WAIT } from '../../limits.ts';
import { withoutMark } from '../../../shared/wire/updates.ts';
import { grant } from '../callback/grant.ts';
import { beginLoad } from '../commit/group-commit.ts';
import { fail, reply } from '../device/answer.ts';
import { hasUntoldLocks, locksWith } from '../lock/report-locks.ts';
import { changedQuotaFor, hasUntoldLimit } from '../quota/quota-usage.ts';
import { newestFor } from './tell-devices.ts';
import { takeBack, unsharedWith } from '../share/unshared.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { startWait } from '../wait/waiting-read.ts';
import { includedWith } from './brought.ts';
import { fitting, weightOfChange } from './page-weight.ts';

type Request = RequestOf<'Changes'>;

/** Changes: asks for the commits since then; at the head it waits for one, if it may. */
export function pollOrLoad(ctx: Context, job: ReadJob, request: Request): void {
  const { head, promises, reads } = ctx.state.volumes.of(request.volume);
  const { volume, since, limit } = request;
  if (since > head.committed) {
    fail(ctx, job.device, job.call, 'history-gone', 'that commit is yet to come');
  } else if (head.isLost(since)) {
    fail(ctx, job.device, job.call, 'history-gone', 'that commit was lost (rule I1)');
  } else if (since < head.committed) {
    beginLoad(ctx, [{ kind: 'changes', volume, since, limit }], job);
  } else {
    const isWanted = job.final || !promises.has(volume, job.device.id);
    const number = isWanted ? volumeGrant(ctx, job, request, since) : null;
    const isNews =
      number !== null ||
      hasUntoldLocks(ctx, job.device, volume) ||
      hasUntoldLimit(ctx, job.device, volume);
    if (!isNews && request.wait && !job.final) {
      reads.poll(job);
      startWait(ctx, job, POLL_WAIT);
      return;
    }
    const body = {
      commits: [],
      upTo: since,
      head: head.committed,
      grant: number,
      ...unsharedWith(ctx, job.device, volume, number),
      ...locksWith(ctx, job.device, volume),
      ...newestFor(ctx, job.device),
      ...changedQuotaFor(ctx, job.device, volume),
    };
    reply(ctx, job.device, job.call, { rpc: 'Changes', body });
  }
}

/** Answers with a page of commits. The store may hold a group that is not known to be durable here; nobody is shown that before. */
export function answerChanges(ctx: Context, job: ReadJob, request: Request, page: FeedPage): void {
  const { committed } = ctx.state.volumes.of(request.volume).head;
  const known = page.commits.filter(({ commit }) => commit <= committed);
  const commits = fitting(known, weightOfChange);
  const last = commits.at(-1);
  const cut = last !== undefined && commits.length < known.length;
  const seen = page.upTo < committed ? page.upTo : committed;
  const upTo = cut ? last.commit : seen;
  const number = volumeGrant(ctx, job, request, upTo);
  const brought = includedWith(ctx.state.whole, job, request, commits);
  const body = {
    commits: readable(job, commits),
    upTo,
    head: committed,
    grant: number,
    ...unsharedWith(ctx, job.device, request.volume, number),
    ...locksWith(ctx, job.device, request.volume),
    ...newestFor(ctx, job.device),
    ...changedQuotaFor(ctx, job.device, request.volume),
    ...(brought === null ? {} : { brought: brought.status.fid }),
  };
  reply(ctx, job.device, job.call, { rpc: 'Changes', body }, brought?.content ?? null);
}

/** Without what an older daemon does not know. */
function readable({ device }: ReadJob, commits: readonly ChangeSet[]): ChangeSet[] {
  if (device.connection?.takesCopies === true) return [...commits];
  return commits.map(withoutMark);
}

/** A promise for the volume, where the answer leaves nothing untold and nothing is about to change by others. */
function volumeGrant(
  ctx: Context,
  job: ReadJob,
  request: Request,
  upTo: CommitNumber,
): GrantNumber | null {
  const { id, head, monitor, marks } = ctx.state.volumes.of(request.volume);
  if (!request.promise || upTo !== head.staged) return null;
  monitor.used(id, job.device.id, ctx.now);
  takeBack(ctx, id, job.device.id);
  if (marks.isVolumeDirtyFor(job.device.id)) return null;
  return grant(ctx, job.device, [id]);
}
