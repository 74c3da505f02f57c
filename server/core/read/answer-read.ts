/** The answer to a read, once its rows are here. Rights were looked at when it began, and are again: they may have gone. */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { RowKey } from '../../../shared/model/stored.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import { assert, present } from '../../../shared/util/assert.ts';
import { grant } from '../callback/grant.ts';
import type { LoadedRows, RowView } from '../commit/row-view.ts';
import { fail, reply, replyAfter } from '../device/answer.ts';
import { rightIn } from '../device/device.ts';
import { answerRename } from './rename-device.ts';
import { answerSetLock } from './answer-lock.ts';
import { answerDevices } from './tell-devices.ts';
import { answerSetSharing } from '../share/set-sharing.ts';
import { reveal, unsharedWith } from '../share/unshared.ts';
import { behindFor } from '../share/verdict.ts';
import { viewOf, type Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { answerAllocation } from './allocate-vnodes.ts';
import { answerDirectory, answerPastDirectory } from './answer-directory.ts';
import { answerLookup } from './answer-lookup.ts';
import { answerFetch, answerVersion } from './answer-fetch.ts';
import { historyKey, historyReply, volumeOfPast, type HistoryRequest } from './answer-history.ts';
import { fitting, ITEM_BYTES, weightOfName, weightOfStatus } from './page-weight.ts';
import { answerChanges } from './poll-changes.ts';
import { readAgain } from './read-again.ts';

/** Answers a read, or lets it wait, or takes it again. */
export function answerRead(
  ctx: Context,
  job: ReadJob,
  keys: readonly RowKey[],
  rows: LoadedRows,
): void {
  const { request } = job;
  if (!ctx.state.calls.has(job.call)) return;
  if (losesSight(job)) {
    fail(ctx, job.device, job.call, 'no-such-volume');
    return;
  }
  const view = viewOf(ctx, rows);
  switch (request.rpc) {
    case 'Validate':
    case 'FetchStatus':
      answerStatuses(ctx, job, view);
      break;
    case 'Fetch':
      if (request.body.version === null) answerFetch(ctx, job, view, request.body, rows);
      else answerVersion(ctx, job, request.body, rows, pageOf(keys, rows, 'version'));
      break;
    case 'Lookup':
      answerLookup(ctx, job, view, request.body, keys);
      break;
    case 'AllocateVnodes':
      answerAllocation(ctx, job, request.body, rows);
      break;
    case 'SetSharing':
      answerSetSharing(ctx, job, view, request.body);
      break;
    case 'SetLock':
      answerSetLock(ctx, job, view, request.body);
      break;
    case 'RenameDevice':
      answerRename(ctx, job, view, request.body);
      break;
    case 'Devices':
      answerDevices(ctx, job, view);
      break;
    case 'FetchDir':
      answerDirectory(
        ctx,
        job,
        request.body,
        keyOf(keys, 'directory'),
        pageOf(keys, rows, 'directory'),
      );
      break;
    case 'PastDir':
      answerPastDirectory(ctx, job, pageOf(keys, rows, 'directory'));
      break;
    case 'Changes':
      answerChanges(ctx, job, request.body, pageOf(keys, rows, 'changes'));
      break;
    case 'Snapshot':
      answerSnapshot(ctx, job, keyOf(keys, 'snapshot'), pageOf(keys, rows, 'snapshot'));
      break;
    case 'PastVersions':
    case 'PastNames':
    case 'OwnCommits':
    case 'NamedSnapshots':
      answerHistory(ctx, job, request, rows);
      break;
    default:
      assert(false, 'a read that loads has an answer', { rpc: request.rpc });
  }
}

type Kind = RowKey['kind'];
type KeyOf<K extends Kind> = Extract<RowKey, { kind: K }>;

function keyOf<K extends Kind>(keys: readonly RowKey[], kind: K): KeyOf<K> {
  const key = present(keys[0], 'a read has a key');
  assert(key.kind === kind, 'a read gets what it asked for', { kind });
  return key as KeyOf<K>;
}

function pageOf<K extends Kind>(keys: readonly RowKey[], rows: LoadedRows, kind: K) {
  const row = rows.row(keyOf(keys, kind));
  assert(row !== undefined, 'a load has all its rows', { kind });
  return row;
}

/** The volume it is about is no longer the device's to see. */
function losesSight({ device, request }: ReadJob): boolean {
  switch (request.rpc) {
    case 'Fetch':
    case 'FetchDir':
    case 'Lookup':
    case 'PastDir':
    case 'SetSharing':
    case 'SetLock':
      return rightIn(device, volumeOf(request.body.fid)) === null;
    case 'AllocateVnodes':
    case 'Changes':
    case 'Snapshot':
      return rightIn(device, request.body.volume) === null;
    case 'PastVersions':
    case 'PastNames':
    case 'OwnCommits':
    case 'NamedSnapshots':
      return rightIn(device, volumeOfPast(request)) === null;
    default:
      return false;
  }
}

function answerHistory(
  ctx: Context,
  { device, call }: ReadJob,
  request: HistoryRequest,
  rows: LoadedRows,
): void {
  const page = rows.row(historyKey(device, request));
  reply(ctx, device, call, historyReply(request.rpc, present(page, 'a load has all its rows')));
}

/**
 * Validate and FetchStatus: each vnode that is there comes with a promise, unless it is about to change. As many of the first as a message holds:
 * attributes may be large.
 */
function answerStatuses(ctx: Context, job: ReadJob, view: RowView): void {
  const { device, request } = job;
  const all: ReadonlyArray<{
    fid: Fid;
    commit: CommitNumber | null;
    wished?: boolean | undefined;
  }> =
    request.rpc === 'Validate'
      ? request.body.items
      : request.rpc === 'FetchStatus'
        ? request.body.fids.map((fid) => ({ fid, commit: null, wished: false }))
        : [];
  const statuses = all.map(({ fid }) => visible(job, view, fid));
  if (view.missing.length > 0) {
    // A right was given since it began.
    readAgain(ctx, job, 0);
    return;
  }
  const listed = fitting(all, ({ commit }, index) => {
    const status = statuses[index] ?? null;
    return status === null || status.commit === commit ? ITEM_BYTES : weightOfStatus(status);
  });
  const there = listed.filter((_, index) => (statuses[index] ?? null) !== null);
  const hidden = reveal(
    ctx,
    job,
    there.map(({ fid }) => fid),
  );
  if (hidden === 'waits') return;
  const promised = listed.map(({ fid }, index) => {
    const isThere = (statuses[index] ?? null) !== null;
    return isThere && hidden === 'known' && !ctx.state.volumes.isDirtyFor(fid, device.id);
  });
  const subjects = listed.map(({ fid }) => fid).filter((_, index) => promised[index]);
  const number = subjects.length === 0 ? null : grant(ctx, device, subjects);
  const items = listed.map(({ fid, commit, wished }, index) => {
    const status = statuses[index] ?? null;
    const current = status !== null && status.commit === commit;
    const promise = promised[index] === true ? number : null;
    const isBehind = status !== null && promised[index] !== true;
    return {
      ...{ fid, current, status, grant: promise },
      ...unsharedWith(ctx, device, fid, promise, wished),
      ...(isBehind ? behindFor(device) : {}),
    };
  });
  const body =
    request.rpc === 'Validate'
      ? ({
          rpc: 'Validate',
          body: {
            items: items.map((item) => ({ ...item, status: item.current ? null : item.status })),
          },
        } as const)
      : ({
          rpc: 'FetchStatus',
          body: { items: items.map(({ current: _, ...item }) => item) },
        } as const);
  replyAfter(ctx, view.newestGroup, device, job.call, body);
}

function visible(job: ReadJob, view: RowView, fid: Fid): VnodeStatus | null {
  if (rightIn(job.device, volumeOf(fid)) === null) return null;
  return view.live(fid)?.status ?? null;
}

function answerSnapshot(
  ctx: Context,
  job: ReadJob,
  key: KeyOf<'snapshot'>,
  page: ReturnType<typeof pageOf<'snapshot'>>,
): void {
  const kept = fitting(page.vnodes, ({ status, names }) =>
    names.reduce((sum, { name }) => sum + weightOfName(name), weightOfStatus(status)),
  );
  const vnodes = kept.map(({ status, names }) => ({ status, names: [...names] }));
  const more = page.more || kept.length < page.vnodes.length;
  reply(ctx, job.device, job.call, { rpc: 'Snapshot', body: { at: key.at, vnodes, more } });
}
