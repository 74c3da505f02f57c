/**
 * A store that sends its contents as a delta (rules D2, D3): they are made of the delta and its base, and are then what any store's contents are.
 *
 * The base is the version that the update is made over, or one that the device names with its file, in any volume that it may read. Whether it may is
 * looked at when the header comes, when the delta and what is known of its base are here, and when the store is decided. A base that is hidden and one that is not here fail the store alike, and the
 * contents come whole: so nobody obtains or probes what they may not read. From the header of the store on a base is not collected (rule D3), even if
 * the version ends.
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import type { RowOf } from '../../../shared/model/stored.ts';
import { present } from '../../../shared/util/assert.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { MAX_DELTA_GROWTH } from '../../limits.ts';
import { beginLoad } from '../commit/group-commit.ts';
import { mayStore, rightIn, type PendingUpdate } from '../device/device.ts';
import type { CallId, KnownContent } from '../events.ts';
import { contentOf } from '../known-content.ts';
import type { Context } from '../state.ts';
import { beginUpdates } from './begin-updates.ts';
import { giveUp } from './finish-update.ts';
import type { BaseJob, PinJob, Receiving, StoreStream } from './jobs.ts';

/** Asks which contents the base of a delta has: the delta is on its way, and what it is against must be here when it comes. */
export function askForBase(
  ctx: Context,
  call: CallId,
  pending: PendingUpdate,
  stream: StoreStream,
): void {
  const base = baseOf(pending, stream);
  if (base === null || !maySee(pending, base)) return;
  beginLoad(ctx, [{ kind: 'version', ...base }], { kind: 'pin', pending, call });
}

interface Base {
  readonly fid: Fid;
  readonly version: DataVersion;
}

/** What its delta is against; null: it is no store. */
function baseOf({ update }: PendingUpdate, { from }: StoreStream): Base | null {
  if (update.op !== 'store') return null;
  return from ?? { fid: update.fid, version: update.base };
}

const maySee = ({ device }: PendingUpdate, { fid }: Base): boolean =>
  rightIn(device, volumeOf(fid)) !== null;

/** The volume that its contents are made of is no longer the device's to see (rule M3). */
export const lostSource = ({ device, source }: PendingUpdate): boolean =>
  source !== null && rightIn(device, source) === null;

/** The base of a delta that is on its way is known: it is not collected from now on (rule D3). */
export function pinBase(ctx: Context, { call, pending }: PinJob, status: RowOf<'version'>): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving?.pending === pending && status !== null) receiving.base = contentOf(status);
}

/** The whole delta is here, at `path`: asks for its base, or has the contents made. */
export function beginRebuild(ctx: Context, call: CallId, receiving: Receiving, path: string): void {
  const { pending } = receiving;
  const { update, device, volume } = pending;
  if (update.op !== 'store') return;
  if (!mayStore(device, volume, update)) {
    // The right went meanwhile: what is decided without contents is its refusal.
    ctx.state.receiving.delete(call);
    ctx.out.push({ kind: 'discard', path });
    beginUpdates(ctx, [pending]);
  } else {
    const base = baseOf(pending, present(receiving.stream, 'a delta is a stream'));
    if (base === null || !maySee(pending, base)) {
      return refuseContent(ctx, call, receiving, path, 'unknown-base');
    }
    receiving.keeping = true;
    const from = volumeOf(base.fid);
    pending.source = from === volume ? null : from;
    // Asked for at the header, mostly.
    if (receiving.base !== null) return rebuildOver(ctx, call, receiving, path, receiving.base);
    beginLoad(ctx, [{ kind: 'version', ...base }], { kind: 'base', pending, call, path });
  }
}

function rebuildOver(
  ctx: Context,
  call: CallId,
  receiving: Receiving,
  path: string,
  base: KnownContent,
): void {
  const { update } = receiving.pending;
  const { digest, length } = present(receiving.stream, 'a delta is a stream');
  if (update.op !== 'store' || update.size > (base.length + length) * MAX_DELTA_GROWTH) {
    refuseContent(ctx, call, receiving, path, 'damaged-delta');
    return;
  }
  const wanted = { digest: update.digest, length: update.size };
  ctx.out.push({ kind: 'rebuild', call, path, delta: { digest, length }, base, wanted });
}

/** The base of a delta that is here is known: its contents are made, or asked for whole. */
export function baseLoaded(ctx: Context, job: BaseJob, status: RowOf<'version'>): void {
  const { call, path, pending } = job;
  const receiving = ctx.state.receiving.get(call);
  const base = status === null ? null : contentOf(status);
  if (receiving?.pending !== pending) ctx.out.push({ kind: 'discard', path });
  else if (base === null || lostSource(pending))
    refuseContent(ctx, call, receiving, path, 'unknown-base');
  else rebuildOver(ctx, call, receiving, path, base);
}

/** The store could not say which contents the base has: the update is let go. */
export function baseNotLoaded(ctx: Context, { call, path }: BaseJob, code: ErrorCode): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving === undefined) ctx.out.push({ kind: 'discard', path });
  else refuseContent(ctx, call, receiving, path, code);
}

/** The contents could not be made of the delta, which is gone already: the update is let go. */
export function contentNotRebuilt(ctx: Context, call: CallId, code: ErrorCode): void {
  const receiving = ctx.state.receiving.get(call);
  if (receiving === undefined) return;
  ctx.state.receiving.delete(call);
  giveUp(ctx, receiving.pending, code);
}

/** What came is not taken: the update is let go, and asked for again. */
export function refuseContent(
  ctx: Context,
  call: CallId,
  { pending }: Receiving,
  path: string,
  code: ErrorCode,
): void {
  ctx.state.receiving.delete(call);
  ctx.out.push({ kind: 'discard', path });
  giveUp(ctx, pending, code);
}
