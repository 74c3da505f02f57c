/**
 * Lookup: the statuses on the way down a path, as of one moment (rule N1). A way of n names needs n rounds of rows here, and one round trip.
 *
 * What others are about to change on the way comes without a promise, and takes none from the rest.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';
import type { RowKey } from '../../../shared/model/stored.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import { grant } from '../callback/grant.ts';
import { beginLoad } from '../commit/group-commit.ts';
import type { RowView } from '../commit/row-view.ts';
import { fail, replyAfter } from '../device/answer.ts';
import { reveal, unsharedWith } from '../share/unshared.ts';
import { behindFor } from '../share/verdict.ts';
import type { Context } from '../state.ts';
import type { ReadJob } from '../wait/read-job.ts';
import { fitting, ITEM_BYTES, weightOfStatus } from './page-weight.ts';

interface Way {
  /** The directory that it begins at, and what the names lead to, as far as they do. */
  readonly statuses: readonly VnodeStatus[];
  /** The name after those is free. */
  readonly missing: boolean;
}

/** The rows that a way down begins with. */
export function lookupKeys({ fid, names }: RequestOf<'Lookup'>): RowKey[] {
  const [first] = names;
  const vnode: RowKey = { kind: 'vnode', fid };
  return first === undefined ? [vnode] : [vnode, { kind: 'entry', dir: fid, name: first }];
}

/** Answers with the way down; or asks for the rows of its next part, or waits for what is hidden of it. */
export function answerLookup(
  ctx: Context,
  job: ReadJob,
  view: RowView,
  request: RequestOf<'Lookup'>,
  keys: readonly RowKey[],
): void {
  const { device, call } = job;
  const way = walk(view, request);
  if (view.missing.length > 0) return beginLoad(ctx, [...keys, ...view.missing], job);
  const [start] = way.statuses;
  if (start === undefined) return fail(ctx, device, call, 'no-such-vnode');
  if (start.kind !== 'directory') return fail(ctx, device, call, 'not-a-directory');
  const statuses = fitting(way.statuses, (status) => ITEM_BYTES + weightOfStatus(status));
  const promised = promisable(ctx, job, statuses);
  if (promised === null) return;
  const number = promised.size === 0 ? null : grant(ctx, device, [...promised]);
  const { monitor } = ctx.state.volumes.of(request.fid);
  for (const { fid, kind } of statuses.slice(0, request.names.length)) {
    if (kind === 'directory') monitor.used(fid, device.id, ctx.now);
  }
  const items = statuses.map((status) => {
    const { fid } = status;
    const promise: GrantNumber | null = promised.has(fid) ? number : null;
    return {
      ...{ status, grant: promise },
      ...unsharedWith(ctx, device, fid, promise),
      ...(promised.has(fid) ? {} : behindFor(device)),
    };
  });
  const missing = way.missing && statuses.length === way.statuses.length;
  replyAfter(ctx, view.newestGroup, device, call, { rpc: 'Lookup', body: { items, missing } });
}

function walk(view: RowView, { fid, names }: RequestOf<'Lookup'>): Way {
  const statuses: VnodeStatus[] = [];
  let at: Fid = fid;
  for (const name of [...names, null]) {
    const status = view.live(at)?.status;
    // The rows of the next name are asked for with those of this one.
    const entry = name === null ? null : view.entry(at, name);
    if (status === undefined) break;
    statuses.push(status);
    if (status.kind !== 'directory' || name === null) break;
    const next = entry?.fid ?? null;
    if (next === null) return { statuses, missing: true };
    at = next;
  }
  return { statuses, missing: false };
}

/** Of which of these a promise can be given; null: the read waits. */
function promisable(ctx: Context, job: ReadJob, statuses: readonly VnodeStatus[]): Set<Fid> | null {
  const found = new Set<Fid>();
  for (const { fid } of statuses) {
    const hidden = reveal(ctx, job, [fid]);
    if (hidden === 'waits') return null;
    if (hidden === 'known' && !ctx.state.volumes.isDirtyFor(fid, job.device.id)) found.add(fid);
  }
  return found;
}
