/**
 * Updates arrive: a batch of them (Apply), or one with contents (Store).
 *
 * Invariants
 * 1. An update is decided once, however often it is sent: while one with its number is under way, a second joins it; after that its result is a row
 *    (decide-updates.ts).
 * 2. A store is announced (marked, broken) when its header arrives, and decided when its contents are durable. One that came without the right, or is
 *    of a vnode of another volume, announces nothing and is not waited for; if the right is back when it is decided, it is asked for again.
 * 3. Contents that are here are not taken a second time: while the answer to their store may not be given yet (rule P3), a second call that brings
 *    many of them is refused for now, which ends its transfer.
 */
import type { RowKey } from '../../../shared/model/stored.ts';
import type { Update, UpdateNonce, UpdateSeq } from '../../../shared/model/update.ts';
import type { RequestOf } from '../../../shared/wire/rpcs.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { MAX_DEVICE_UPDATES, MAX_SENT_AGAIN_BYTES } from '../../limits.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { beginLoad } from '../commit/group-commit.ts';
import { nobodyTold } from '../callback/break-counts.ts';
import { fail } from '../device/answer.ts';
import {
  mayStore,
  rightIn,
  type DeviceState,
  type PendingAnswer,
  type PendingUpdate,
} from '../device/device.ts';
import type { CallId } from '../events.ts';
import { isCounted } from '../quota/reserve.ts';
import type { Context } from '../state.ts';
import { beginUpdates } from './begin-updates.ts';
import { markDirty } from './dirty-mark.ts';
import { receiveReordered } from './forward-invalidation.ts';
import { advanceLowWater } from './low-water.ts';
import { askForBase } from './rebuild-content.ts';
import { isOther, refuseCall } from './refuse-copy.ts';

type Item = {
  readonly seq: UpdateSeq;
  readonly name?: UpdateNonce | undefined;
  readonly after: readonly UpdateSeq[];
  readonly afterNames?: ReadonlyArray<UpdateNonce | null> | undefined;
  readonly update: Update;
};

/** Apply: updates without contents, in one call. It is answered when all of them have their results. */
export function receiveApply(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  request: RequestOf<'Apply'>,
): void {
  const volume = admitted(ctx, device, call, request, request.updates);
  if (volume === null) return;
  const { updates } = request;
  receiveReordered(ctx, device, request.overtaken);
  const answer = answerFor('Apply', call, updates.length);
  const fresh: PendingUpdate[] = [];
  updates.forEach((item, index) => {
    const known = device.updates.get(item.seq);
    const pending = known ?? makePending(device, volume, item);
    if (known === undefined) fresh.push(pending);
    pending.answers.push({ answer, index });
  });
  beginUpdates(ctx, fresh);
}

/** Store: one update, whose contents follow. `contentLength`: bytes that follow. `isBegun`: what its stream had before is here. */
export function receiveStore(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  request: RequestOf<'Store'>,
  { contentLength, isBegun }: { readonly contentLength: number; readonly isBegun: boolean },
): void {
  const { stream = null } = request;
  const fault = faultOfContents(request, contentLength);
  if (fault !== null) {
    fail(ctx, device, call, fault.code, fault.detail);
    return;
  }
  const volume = admitted(ctx, device, call, request, [request]);
  if (volume === null) return;
  receiveReordered(ctx, device, request.overtaken);
  const known = device.updates.get(request.seq);
  const mayWrite = mayStore(device, volume, request.update);
  if (mayWrite && stream !== null && stream.offset > 0 && !isBegun) {
    fail(ctx, device, call, 'unknown-base', 'what was sent before is not here');
    return;
  }
  const hasContents = known !== undefined && !takesOver(ctx, known);
  if (hasContents && contentLength > MAX_SENT_AGAIN_BYTES) {
    fail(ctx, device, call, 'try-again', 'its contents are here, and it is being decided');
    return;
  }
  const pending = known ?? makePending(device, volume, request);
  pending.answers.push({ answer: answerFor('Store', call, 1), index: 0 });
  if (hasContents) return;
  if (request.update.size === 0 || !mayWrite) {
    if (mayWrite) markDirty(ctx, pending);
    beginUpdates(ctx, [pending]);
    return;
  }
  const isMuch = contentLength > MAX_SENT_AGAIN_BYTES;
  ctx.state.receiving.set(call, { pending, stream, isMuch, base: null, keeping: false });
  if (stream?.delta === true) askForBase(ctx, call, pending, stream);
  const keys = keysBeforehand(ctx, pending);
  if (keys.length > 0) beginLoad(ctx, keys, { kind: 'receipt', pending, call });
  else markDirty(ctx, pending);
}

/** Rows by which its contents may turn out not to be wanted: it was applied, or does not fit. */
function keysBeforehand(
  { state }: Context,
  { device, seq, update, volume }: PendingUpdate,
): RowKey[] {
  const counts = isCounted(state.volumes.of(volume).quota, update);
  const keys: RowKey[] = [];
  if (seq <= device.highest) keys.push({ kind: 'applied', device: device.id, seq });
  if (counts) keys.push({ kind: 'vnode', fid: update.fid });
  return keys;
}

/** The fault if the announced contents are not those that come, or no stream has them; null: none. */
function faultOfContents(
  { update, stream }: RequestOf<'Store'>,
  contentLength: number,
): { readonly code: ErrorCode; readonly detail: string } | null {
  if (stream === undefined) {
    if (contentLength === update.size) return null;
    return { code: 'length-mismatch', detail: 'the announced length is another one' };
  }
  const { digest, length, offset, delta, from } = stream;
  const isSame = from === undefined && length === update.size && digest === update.digest;
  const isOfUpdate = delta ? update.base > 0 || from !== undefined : isSame;
  const isWhole = length > 0 && length - offset === contentLength;
  if (isOfUpdate && isWhole && update.size > 0) return null;
  return { code: 'bad-message', detail: 'the announced stream is another one' };
}

/** A second call brings the contents of a store whose first call has not brought them whole: it takes its place. */
function takesOver(ctx: Context, known: PendingUpdate): boolean {
  if (known.stage !== 'receiving') return false;
  for (const [call, receiving] of ctx.state.receiving) {
    if (receiving.pending !== known) continue;
    if (receiving.keeping) return false;
    ctx.state.receiving.delete(call);
  }
  return true;
}

/** The volume, where the device may send it these updates; otherwise the call is answered. */
function admitted(
  ctx: Context,
  device: DeviceState,
  call: CallId,
  request: { readonly volume: VolumeId; readonly lowWater: UpdateSeq },
  items: readonly Item[],
): VolumeId | null {
  if (rightIn(device, request.volume) === null) {
    fail(ctx, device, call, 'no-such-volume');
    return null;
  }
  if (device.connection?.isCopy === true || items.some((item) => isKnownAsAnother(device, item))) {
    refuseCall(ctx, device, call);
    return null;
  }
  advanceLowWater(ctx, device, request.lowWater);
  // Nobody knows any more whose it was. Nobody who is alone sends it; but one who took the call back may have.
  if (items.some(({ seq }) => seq < device.lowWater)) {
    fail(ctx, device, call, 'incarnation-reused', 'an update below the low water');
    return null;
  }
  const fault = faultOf(items);
  if (fault !== null) {
    fail(ctx, device, call, 'bad-message', fault);
    return null;
  }
  if (device.updates.size + items.length > MAX_DEVICE_UPDATES) {
    fail(ctx, device, call, 'try-again', 'too many updates are on their way');
    return null;
  }
  return request.volume;
}

function isKnownAsAnother(device: DeviceState, { seq, name }: Item): boolean {
  const known = device.updates.get(seq);
  return known !== undefined && isOther(known.name, name ?? null);
}

function faultOf(items: readonly Item[]): string | null {
  let last = 0;
  for (const { seq, after } of items) {
    if (seq <= last) return 'updates are sent in the order of their numbers';
    if (after.some((needed) => needed >= seq)) return 'an update depends on earlier ones only';
    last = seq;
  }
  return null;
}

function answerFor(rpc: PendingAnswer['rpc'], call: CallId, count: number): PendingAnswer {
  return { rpc, call, results: Array<null>(count).fill(null), remaining: count };
}

function makePending(device: DeviceState, volume: VolumeId, item: Item): PendingUpdate {
  const { update } = item;
  const pending: PendingUpdate = {
    device,
    connection: device.connection,
    volume,
    seq: item.seq,
    name: item.name ?? null,
    after: item.after,
    afterNames: item.afterNames ?? null,
    update,
    stage: 'receiving',
    answers: [],
    contents: update.op !== 'store' || update.size === 0,
    source: null,
    result: null,
    durable: false,
    breaks: 0,
    told: nobodyTold(),
  };
  device.updates.set(item.seq, pending);
  return pending;
}
