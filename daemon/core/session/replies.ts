/** Hands each answer to the part of the core that asked. */
import { onNamed } from '../log/ask-name.ts';
import { onLocksTold } from '../lock/keep-locks.ts';
import { onLockRefused, onLockReply } from '../lock/lock-replies.ts';
import { milliseconds } from '../../../shared/model/time.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { QuotaUsage } from '../../../shared/model/quota.ts';
import type { AbortReason, ReceivedContent } from '../../../shared/ports/transport.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { awaitBrought } from '../cache/brought.ts';
import { makeRoom } from '../cache/update-cache.ts';
import { onRaised } from '../cache/raise-fetch.ts';
import { onContents, onContentsFailed } from '../cache/demand-fetch.ts';
import { onPast } from '../calls/past.ts';
import { onCallRefused } from '../calls/refused-by-server.ts';
import {
  onCaughtUp,
  onCatchUpFailed,
  onFollowed,
  onFollowFailed,
  onSnapshot,
} from '../sharing/change-feed.ts';
import { onAnnounced, onAnnounceFailed } from '../sharing/forward-invalidation.ts';
import { onOrdered, onOrders, onOrdersFailed, onOrdersTold } from '../sharing/sharing-orders.ts';
import { learnShared } from '../sharing/sort-stores.ts';
import {
  onDirectoryFailed,
  onDirectoryPage,
  onStatuses,
  onStatusesFailed,
} from '../sharing/validation.ts';
import { onLostReadFailed, onLostSince, onLostSnapshot } from '../recovery/epoch-change.ts';
import type { ReplyEvent, RequestId } from '../events.ts';
import { TIME_KEY } from '../log/flush.ts';
import { onWhoRemoved } from '../sharing/others-removals.ts';
import { onRenamed, onRenameRefused } from '../names/device-name.ts';
import { onDevicesTold, onNewestTold } from '../names/known-devices.ts';
import { onHello, onHelloFailed } from './hello.ts';
import { onBlocks, onBlocksFailed } from '../names/vnode-blocks.ts';
import { chargeBulk } from '../network/update-bulk-gate.ts';
import { onRooms } from '../quota/room.ts';
import type { Purpose } from '../waits/requests.ts';
import type { ClientState } from '../state.ts';
import { noteConfirmed } from '../log/estimates.ts';
import {
  onBatch,
  onBatchFailed,
  onSourceFailed,
  onStored,
  onStoreFailed,
} from '../conflict/results.ts';
import { onLimitFailed, onLimitTold } from '../network/transfer-limits.ts';
import { noteHead } from '../names/heads.ts';
import { onWay, onWayFailed } from '../sharing/lookup.ts';

/**
 * Ends the request of a reply, renews the lease, and hands the reply to the part that sent the
 * request. Contents of an unknown request are discarded.
 */
export function onReply(state: ClientState, event: ReplyEvent): void {
  const { request: id, reply, content, jitter: jitter } = event;
  const request = state.requests.get(id);
  if (request === undefined) {
    discard(state, content);
    return;
  }
  chargeBulk(state, request, (event.moved ?? 0) - request.charged);
  state.requests.end(id);
  state.sharing.promises.answered(id, milliseconds(state.leaseMs), state.now.at);
  const { purpose } = request;
  if (reply.ok) {
    noteConfirmed(state, request);
    succeeded(state, id, purpose, reply.body, content);
    const isFollowed = purpose.for === 'follow';
    if (isFollowed) awaitBrought(state, request, reply.body as ReplyOf<'Changes'>);
  } else failed(state, id, purpose, reply.code, reply.detail, jitter);
  state.sharing.promises.ended(id);
}

/** Its connection ended before the answer could be taken. */
export function onUntaken(state: ClientState, { request, content, jitter }: ReplyEvent): void {
  discard(state, content);
  onAborted(state, request, 'closed', jitter);
}

function discard(state: ClientState, content: ReceivedContent | null): void {
  if (content === null) return;
  const work = { what: 'discard', spool: content.path } as const;
  state.out.emit({ kind: 'file', task: 0, work });
}

/** A request ended without an answer. */
export function onAborted(
  state: ClientState,
  id: RequestId,
  reason: AbortReason,
  jitter: number,
): void {
  const request = state.requests.get(id);
  if (request === undefined) return;
  state.requests.end(id);
  state.sharing.promises.ended(id);
  const { purpose } = request;
  if (reason === 'spool') makeRoom(state);
  if (purpose.for === 'store' && reason === 'source') {
    return onSourceFailed(state, purpose, 'its contents can not be read on this disk', jitter);
  }
  failed(
    state,
    id,
    purpose,
    request.stopped ? null : codeOf(reason),
    reason === 'spool' ? 'the disk is full' : `the request ended (${reason})`,
    jitter,
  );
}

/** null: the connection ended, and everything begins anew with the next one. */
function codeOf(reason: AbortReason): ErrorCode | null {
  if (reason === 'closed') return null;
  return reason === 'spool' ? 'disk-full' : 'internal';
}

function succeeded(
  state: ClientState,
  id: RequestId,
  purpose: Purpose,
  body: unknown,
  content: ReceivedContent | null,
): void {
  switch (purpose.for) {
    case 'hello':
      return onHello(state, id, body as ReplyOf<'Hello'>);
    case 'time':
      return onTime(state, id, body as ReplyOf<'GetTime'>);
    case 'limit':
      onLimitTold(state, purpose.rate);
      return onTime(state, id, body as ReplyOf<'GetTime'>);
    case 'announce':
      return onAnnounced(state, id);
    case 'validate':
    case 'status':
      return onStatuses(state, id, purpose.fids, (body as ReplyOf<'Validate'>).items);
    case 'directory':
      return onDirectoryPage(state, id, purpose.fid, body as ReplyOf<'FetchDir'>);
    case 'lookup':
      return onWay(state, id, purpose, body as ReplyOf<'Lookup'>);
    case 'name':
      return onNamed(state, purpose.fid, body as ReplyOf<'Snapshot'>);
    case 'contents':
      return onContents(state, id, purpose.key, body as ReplyOf<'Fetch'>, content);
    case 'blocks':
      return onBlocks(state, purpose.volume, (body as ReplyOf<'AllocateVnodes'>).blocks);
    case 'follow':
      return onFollowed(state, purpose, body as ReplyOf<'Changes'>);
    case 'catch-up':
      return onCaughtUp(state, purpose, body as ReplyOf<'Changes'>);
    case 'snapshot':
      return onSnapshot(state, purpose, body as ReplyOf<'Snapshot'>);
    case 'lost-snapshot':
      return onLostSnapshot(state, body as ReplyOf<'Snapshot'>);
    case 'lost-since':
      return onLostSince(state, body as ReplyOf<'Changes'>);
    case 'raise':
      return onRaised(state, purpose.key, body as ReplyOf<'Raise'>);
    case 'past':
      return onPast(state, purpose.call, body);
    case 'orders':
      return onOrders(state, purpose.volume, body as ReplyOf<'SharingOrders'>);
    case 'order':
      return onOrdered(state, purpose, body as ReplyOf<'SetSharing'>);
    case 'lock':
    case 'unlock':
    case 'locks':
      return onLockReply(state, purpose, body);
    case 'who-removed':
      return onWhoRemoved(state, purpose, body as ReplyOf<'PastNames'>);
    case 'devices':
      return onDevicesTold(state, body as ReplyOf<'Devices'>);
    case 'rename':
      return onRenamed(state, purpose);
    case 'batch':
      onBatch(state, purpose.seqs, (body as ReplyOf<'Apply'>).results);
      return onVolumesTold(state, body as ReplyOf<'Apply'>);
    case 'store': {
      const { result, shared } = body as ReplyOf<'Store'>;
      learnShared(state, purpose.fid, shared);
      onStored(state, purpose, result);
      return onVolumesTold(state, body as ReplyOf<'Store'>);
    }
    case 'give-up':
  }
}

/** What the answer to an update says of its volume besides. */
function onVolumesTold(
  state: ClientState,
  { rooms = [], orders }: Pick<ReplyOf<'Apply'>, 'rooms' | 'orders'>,
): void {
  onOrdersTold(state, orders);
  onRooms(state, volumesOf(rooms), rooms);
}

function failed(
  state: ClientState,
  id: RequestId,
  purpose: Purpose,
  code: ErrorCode | null,
  detail: string,
  jitter: number,
): void {
  switch (purpose.for) {
    case 'hello':
      if (code !== null) onHelloFailed(state, code, detail);
      return;
    case 'time':
      state.waiting.signal(TIME_KEY);
      return;
    case 'limit':
      return onLimitFailed(state, code === null);
    case 'announce':
      return onAnnounceFailed(state, id, code, jitter);
    case 'validate':
    case 'status':
      return onStatusesFailed(state, id, purpose.fids, jitter);
    case 'directory':
      return onDirectoryFailed(state, id, purpose.fid, code, jitter);
    case 'lookup':
      return onWayFailed(state, id, purpose, code);
    case 'name':
      return onNamed(state, purpose.fid, null);
    case 'contents':
      return onContentsFailed(state, id, purpose.key, code, detail, jitter);
    case 'blocks':
      return onBlocksFailed(state, purpose.volume, jitter);
    case 'follow':
    case 'snapshot':
      return onFollowFailed(state, purpose, code, detail, jitter);
    case 'catch-up':
      return onCatchUpFailed(state, purpose.volume, code, jitter);
    case 'lost-snapshot':
    case 'lost-since':
      return onLostReadFailed(state, code);
    case 'give-up':
    case 'raise':
    case 'devices':
      return;
    case 'past':
      return onCallRefused(state, purpose.call, code, detail, 'tell of the past');
    case 'orders':
      return onOrdersFailed(state, purpose.volume);
    case 'order':
      return onCallRefused(state, purpose.call, code, detail, 'take orders on sharing');
    case 'lock':
    case 'unlock':
    case 'locks': {
      const call = onLockRefused(state, purpose, code, jitter);
      return call === null ? undefined : onCallRefused(state, call, code, detail, 'lock files');
    }
    case 'who-removed':
      return onWhoRemoved(state, purpose, null);
    case 'rename':
      if (purpose.call === null) return onRenameRefused(state, purpose.name, code);
      return onCallRefused(state, purpose.call, code, detail, 'rename laptops');
    case 'batch':
      return onBatchFailed(state, purpose.seqs, code, jitter);
    case 'store':
      return onStoreFailed(state, purpose, code, jitter);
  }
}

function onTime(state: ClientState, id: RequestId, body: ReplyOf<'GetTime'>): void {
  state.queue.flushes.timeTold(id);
  state.session.clockAheadMs = body.wall - state.now.wall;
  for (const { volume, head } of body.heads) noteHead(state, volume, head);
  const told = body.heads.map(({ volume }) => volume);
  onRooms(state, told, body.rooms);
  onOrdersTold(state, body.orders, told);
  onLocksTold(state, body.locks);
  onNewestTold(state, body.newestDevice);
  state.waiting.signal(TIME_KEY);
}

const volumesOf = (rooms: readonly QuotaUsage[]): VolumeId[] => rooms.map(({ volume }) => volume);
