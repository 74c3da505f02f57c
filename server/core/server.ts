/**
 * The core of the server: one step function over everything that can happen to it. Pure: it changes the state it is
 * given and returns what is to be done.
 *
 * Each step ends the same way: deadlines that have passed, breaks sent, groups closed.
 */
import type { Instant, WallTime } from '../../shared/model/time.ts';
import { after } from '../../shared/model/time.ts';
import type { RowOf } from '../../shared/model/stored.ts';
import { unreachable } from '../../shared/util/assert.ts';
import type { RequestOf } from '../../shared/wire/rpcs.ts';
import { HELLO_WAIT, MAX_CONNECTIONS, MAX_OPEN_CALLS } from '../limits.ts';
import { acknowledged, sendBreaks, unacknowledged } from './callback/breaking.ts';
import type { Load } from './commit/commit-pipeline.ts';
import { settleGroups } from './commit/group-commit.ts';
import { LoadedRows } from './commit/row-view.ts';
import { fail } from './device/answer.ts';
import type { ConnectionState, DeviceState } from './device/device.ts';
import { forgetOldLeases } from './device/lease-rows.ts';
import type { ConnectionId, Effect, ServerEvent } from './events.ts';
import { partsChanged } from './quota/quota-usage.ts';
import { accessAnswered, accessIsInForce } from './read/ask-access.ts';
import { answerBegun } from './read/answer-begun.ts';
import { askRaise, answerRaise } from './read/answer-raise.ts';
import { answerRead } from './read/answer-read.ts';
import { beginRead } from './read/begin-read.ts';
import { pulled, whileWaiting } from './read/server-pull.ts';
import { readDeadline } from './read/wake-reads.ts';
import { beginClosing, finishClosing, proceedClosing } from './session/close-server.ts';
import { accessChanged, detach, leaseMayBeOver, leaves } from './session/end-session.ts';
import { hearAccess } from './session/hear-access.ts';
import { answerHello, beginHello } from './session/hello.ts';
import { volumesChanged } from './session/volumes-seen.ts';
import type { Context, Job, ServerState } from './state.ts';
import { endGrace } from './update/begin-updates.ts';
import { decideUpdates, endUpdates } from './update/decide-updates.ts';
import { giveUp } from './update/finish-update.ts';
import {
  announcedLoaded,
  receiveInvalidation,
  receiveHidden,
} from './update/forward-invalidation.ts';
import { committed, failed } from './update/group-outcome.ts';
import { advanceLowWater } from './update/low-water.ts';
import { baseLoaded, baseNotLoaded, contentNotRebuilt, pinBase } from './update/rebuild-content.ts';
import {
  callAborted,
  contentArrived,
  contentKept,
  contentNotKept,
  contentRebuilt,
  receiptLoaded,
  receiptNotLoaded,
} from './update/receive-content.ts';
import { receiveApply, receiveStore } from './update/receive-updates.ts';

/** When a step is taken: `now` never goes back, `wall` is what people call the time. */
export interface Moment {
  readonly now: Instant;
  readonly wall: WallTime;
}

/** Takes one event, and returns what is to be done about it, in order. */
export function step(state: ServerState, event: ServerEvent, moment: Moment): Effect[] {
  const ctx: Context = { state, ...moment, out: [] };
  handle(ctx, event);
  const late = passDeadlines(ctx);
  for (const job of state.again.splice(0)) beginRead(ctx, job);
  proceedClosing(ctx, late);
  sendBreaks(ctx);
  settleGroups(ctx);
  finishClosing(ctx);
  return ctx.out;
}

/** When `woken` is wanted next; null: not at all. */
export function nextDeadline(state: ServerState): Instant | null {
  return state.deadlines.peek()?.at ?? null;
}

function handle(ctx: Context, event: ServerEvent): void {
  switch (event.kind) {
    case 'connected':
      return connected(ctx, event);
    case 'disconnected':
      return disconnected(ctx, event);
    case 'request':
      return request(ctx, event);
    case 'content':
      return contentArrived(ctx, event.call, event);
    case 'rebuilt':
      return contentRebuilt(ctx, event.call, event);
    case 'not-rebuilt':
      return contentNotRebuilt(ctx, event.call, event.code);
    case 'begun':
      return answerBegun(ctx, event.call, event.lengths);
    case 'raised':
      return answerRaise(ctx, event.call, event.raised);
    case 'kept':
      return contentKept(ctx, event.call);
    case 'not-kept':
      return contentNotKept(ctx, event.call, event.code);
    case 'aborted':
      return callAborted(ctx, event.call, event.withdrawn);
    case 'rows':
    case 'no-rows':
      return loadEnded(ctx, event);
    case 'full':
      return ctx.state.commits.full(event.group, event.held);
    case 'small-load':
      return ctx.state.commits.waitsFor(event.ticket);
    case 'load-rests':
      return ctx.state.commits.rests(event.ticket, event.isResting);
    case 'committed':
      return committed(ctx, event.group);
    case 'failed':
      return failed(ctx, event.group, event.code);
    case 'acknowledged':
      if (event.hidden !== undefined) receiveHidden(ctx, event.message, event.hidden);
      return acknowledged(ctx, event.message);
    case 'unacknowledged':
      return unacknowledged(ctx, event.message);
    case 'pulled':
      return pulled(ctx, event.pull, event.held);
    case 'access':
      accessChanged(ctx, event.devices);
      return accessIsInForce(ctx, event.doubts ?? -1);
    case 'access-answer':
      return accessAnswered(ctx, event);
    case 'volumes':
      return volumesChanged(ctx, event);
    case 'begun-parts':
      return partsChanged(ctx, event.begun);
    case 'woken':
      return;
    case 'close':
      return beginClosing(ctx);
    default:
      unreachable(event);
  }
}

function connected(ctx: Context, event: Extract<ServerEvent, { kind: 'connected' }>): void {
  const { connection: id, fingerprint } = event;
  if (ctx.state.connections.size >= MAX_CONNECTIONS && !makePlace(ctx)) {
    ctx.out.push({ kind: 'close', connection: id });
    return;
  }
  const connection: ConnectionState = {
    id,
    fingerprint,
    device: null,
    greeting: false,
    isCopy: false,
    ordersAnswers: false,
    lastBreak: 0,
    announcements: null,
    takesPulls: false,
    takesUnshared: false,
    takesOrders: false,
    locksTold: null,
    takesName: false,
    takesCopies: false,
    newestTold: null,
    limitsTold: null,
    calls: new Set(),
  };
  ctx.state.connections.set(id, connection);
  ctx.state.deadlines.push({ at: after(ctx.now, HELLO_WAIT), kind: 'hello', connection });
}

/** The server is full: the oldest stranger goes. False: there is none. */
function makePlace(ctx: Context): boolean {
  for (const connection of ctx.state.connections.values()) {
    if (connection.device !== null) continue;
    ctx.out.push({ kind: 'close', connection: connection.id });
    ctx.state.connections.delete(connection.id);
    detach(ctx, connection);
    return true;
  }
  return false;
}

function disconnected(ctx: Context, event: Extract<ServerEvent, { kind: 'disconnected' }>): void {
  const { connection: id, byPeer } = event;
  const connection = ctx.state.connections.get(id);
  if (connection === undefined) return;
  ctx.state.connections.delete(id);
  const { device } = connection;
  const isCurrent = device?.connection === connection;
  detach(ctx, connection);
  if (device !== null && isCurrent && byPeer) leaves(ctx, device);
}

function request(ctx: Context, event: Extract<ServerEvent, { kind: 'request' }>): void {
  const { state } = ctx;
  const { call, request: message } = event;
  const connection = state.connections.get(event.connection);
  if (connection === undefined) return;
  state.calls.set(call, connection);
  connection.calls.add(call);
  const { device } = connection;
  if (state.closing !== 'no') return fail(ctx, device, call, 'server-closing');
  if (connection.calls.size > MAX_OPEN_CALLS) {
    return fail(ctx, device, call, 'try-again', 'too many calls are open');
  }
  if (message.rpc === 'Hello') return beginHello(ctx, connection, call, message.body);
  if (device === null) return fail(ctx, null, call, 'hello-first');
  dispatch(ctx, device, event);
}

function dispatch(
  ctx: Context,
  device: DeviceState,
  event: Extract<ServerEvent, { kind: 'request' }>,
): void {
  const { call, request: message, contentLength, isBegun = false } = event;
  if (message.rpc === 'Apply') receiveApply(ctx, device, call, message.body);
  else if (message.rpc === 'Store') {
    receiveStore(ctx, device, call, message.body, { contentLength, isBegun });
  } else if (message.rpc === 'ForwardInvalidate') {
    receiveInvalidation(ctx, device, call, message.body);
  } else if (message.rpc === 'Raise') {
    askRaise(ctx, device, call, message.body);
  } else {
    if (message.rpc === 'GetTime') takeTold(ctx, device, event.connection, message.body);
    const progress = { round: 0, final: false, waiting: false, timed: false, watched: false };
    beginRead(ctx, { kind: 'read', device, call, request: message, waitsOn: null, ...progress });
  }
}

/** What a device tells with GetTime. */
function takeTold(
  ctx: Context,
  device: DeviceState,
  connection: ConnectionId,
  { lowWater, contentsRate }: RequestOf<'GetTime'>,
): void {
  if (lowWater !== undefined) advanceLowWater(ctx, device, lowWater);
  if (contentsRate === undefined) return;
  ctx.out.push({ kind: 'limit', connection, bytesPerSecond: contentsRate });
}

function loadEnded(ctx: Context, event: Extract<ServerEvent, { kind: 'rows' | 'no-rows' }>): void {
  const load = ctx.state.commits.endLoad(event.ticket);
  if (load === null) return; // begun again since
  if (event.kind === 'no-rows') return loadFailed(ctx, load, event.code);
  const { job, keys } = load;
  const rows = new LoadedRows(keys, event.rows);
  hearAccess(ctx, keys, rows);
  switch (job.kind) {
    case 'hello':
      return answerHello(ctx, job, rows);
    case 'read':
      return answerRead(ctx, job, keys, rows);
    case 'updates':
      return decideUpdates(ctx, job, rows);
    case 'receipt':
      return receiptLoaded(ctx, job, rows);
    case 'base':
      return baseLoaded(ctx, job, event.rows[0] as RowOf<'version'>);
    case 'pin':
      return pinBase(ctx, job, event.rows[0] as RowOf<'version'>);
    case 'announced':
      return announcedLoaded(ctx, job, rows);
    default:
      unreachable(job);
  }
}

function loadFailed(ctx: Context, { job }: Load<Job>, code: Parameters<typeof fail>[3]): void {
  switch (job.kind) {
    case 'hello':
      job.connection.greeting = false;
      return fail(ctx, null, job.call, code);
    case 'read':
      return fail(ctx, job.device, job.call, code);
    case 'updates':
      for (const pending of job.updates) {
        if (pending.stage === 'loading') giveUp(ctx, pending, code);
      }
      return endUpdates(ctx, job);
    case 'receipt':
      return receiptNotLoaded(ctx, job.pending, job.call, code);
    case 'base':
      return baseNotLoaded(ctx, job, code);
    case 'pin':
      // It is asked for again when the delta is here.
      return;
    case 'announced':
      // The low water ends what is left over.
      return;
    default:
      unreachable(job);
  }
}

/** True: the time to wait for the last acknowledgements is over. */
function passDeadlines(ctx: Context): boolean {
  const { deadlines } = ctx.state;
  let late = false;
  for (let next = deadlines.peek(); next !== undefined && next.at <= ctx.now;) {
    deadlines.pop();
    switch (next.kind) {
      case 'lease':
        leaseMayBeOver(ctx, next.holder);
        break;
      case 'read':
        readDeadline(ctx, next.job);
        break;
      case 'quiet':
        whileWaiting(ctx, next.job);
        break;
      case 'hello':
        if (next.connection.device === null && ctx.state.connections.has(next.connection.id)) {
          ctx.out.push({ kind: 'close', connection: next.connection.id });
        }
        break;
      case 'grace':
        forgetOldLeases(ctx);
        endGrace(ctx);
        break;
      case 'closing':
        late = true;
        break;
      default:
        unreachable(next);
    }
    next = deadlines.peek();
  }
  return late;
}
