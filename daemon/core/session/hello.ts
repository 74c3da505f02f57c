/** Hello and what follows from its answer; the end of a connection and what follows from that. See session.ts. */
import { milliseconds } from '../../../shared/model/time.ts';
import type { VolumeInfo } from '../../../shared/model/change.ts';
import { UPDATE_NAME_DIGITS } from '../../../shared/model/update.ts';
import type { CloseReason } from '../../../shared/ports/transport.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { PROTOCOL, type ReplyOf } from '../../../shared/wire/rpcs.ts';
import { announceAll } from '../sharing/forward-invalidation.ts';
import { onOrdersTold } from '../sharing/sharing-orders.ts';
import { lowerAll } from '../sharing/server-pull.ts';
import { abandonEpochChange, beginEpochChange, areLater } from '../recovery/epoch-change.ts';
import {
  epochsBefore,
  keepWhatIsLeft,
  partings,
  rememberEpochs,
} from '../recovery/epochs-before.ts';
import type { RequestId } from '../events.ts';
import { locksBegin, locksCut } from '../lock/keep-locks.ts';
import { onNameTold } from '../names/device-name.ts';
import { onNewestTold } from '../names/known-devices.ts';
import { headsTold } from './heads-told.ts';
import { onRooms } from '../quota/room.ts';
import { tellInstance } from './daemon-instance.ts';
import type { ClientState } from '../state.ts';
import { lowWater } from '../log/low-water.ts';
import { resendAll } from '../conflict/results.ts';
import { limitsBegin } from '../network/transfer-limits.ts';
import { feedKey } from '../names/heads.ts';

/** The connection is there: introduce ourselves. `token` is a fresh incarnation (rule I2). */
export function sendHello(state: ClientState, token: string): void {
  state.session.connected();
  limitsBegin(state);
  // Also of a machine that was copied while it ran: two copies never share a name for long.
  if (state.log.name !== null) state.log.name = token.slice(0, UPDATE_NAME_DIGITS);
  state.sharing.promises.reset();
  const pending = state.meta.get('incarnation-next') ?? null;
  const next = typeof pending === 'string' ? pending : token;
  if (pending !== next) state.meta.set('incarnation-next', next);
  // Earlier versions kept a ticket, which lets its reader act as this device.
  if (state.meta.has('ticket')) state.meta.set('ticket', null);
  const previous = (state.meta.get('incarnation') ?? null) as string | null;
  const body = {
    protocol: PROTOCOL,
    software: state.config.software,
    deviceName: state.deviceName,
    incarnation: { previous, next },
    epoch: (state.meta.get('epoch') ?? null) as string | null,
    epochsBefore: epochsBefore(state).map(({ epoch }) => epoch),
    heads: headsTold([...state.names.volumes].map(([volume, { head }]) => ({ volume, head }))),
    lowWater: lowWater(state),
    lastSeq: state.log.lastSeq,
    ...tellInstance(state),
    ordersAnswers: true,
    announces: true,
    takesPulls: true,
    takesUnshared: true,
    takesOrders: true,
    // A device the server knows needs none; one that it has lost (rule I1) does.
    invitation: state.config.invitation,
  };
  state.send({ rpc: 'Hello', body }, 'VALIDATE', { for: 'hello' });
}

/**
 * Takes an accepted Hello: the session is up, or a change of epoch begins. Ends the connection with
 * `epoch-changed` where the history of the server does not fit ours.
 */
export function onHello(state: ClientState, request: RequestId, reply: ReplyOf<'Hello'>): void {
  const epoch = state.meta.get('epoch') ?? null;
  if (epoch !== null) {
    const cuts = partings(state, reply);
    if (cuts === null || !areLater(state, cuts)) {
      return onHelloFailed(state, 'epoch-changed', 'the server has another history');
    }
    if (beginEpochChange(state, request, reply, cuts)) return;
  }
  accept(state, request, reply);
}

/** What was known of a lost part of the server's history is logged anew: now the session begins. */
export function onEpochChanged(state: ClientState): void {
  const changed = state.recovery.takeDone();
  if (changed === null) return;
  accept(state, changed.request, changed.reply);
}

function accept(state: ClientState, request: RequestId, reply: ReplyOf<'Hello'>): void {
  const wasPaired = state.meta.get('device') !== undefined;
  state.meta.set('incarnation', state.meta.get('incarnation-next') ?? null);
  state.meta.set('incarnation-next', null);
  rememberEpochs(state, reply);
  keepWhatIsLeft(state);
  if (state.config.identity !== undefined) state.meta.set('identity', state.config.identity);
  state.meta.set('device', reply.device);
  state.meta.set('protocol', reply.protocol);
  state.meta.set('user', reply.user);
  state.meta.set('lease-ms', reply.leaseMs);
  state.sharing.promises.answered(request, milliseconds(reply.leaseMs), state.now.at);
  state.session.helloAccepted();
  if (!wasPaired || state.config.invitation !== null) state.out.emit({ kind: 'paired' });
  onNameTold(state, reply);
  onNewestTold(state, reply.newestDevice);
  takeVolumes(state, reply);
  const volumes = reply.volumes.map(({ id }) => id);
  onRooms(state, volumes, reply.rooms);
  state.sharing.orders.reset();
  locksBegin(state);
  onOrdersTold(state, reply.orders, volumes);
  state.delays.clear();
  resendAll(state);
  state.sharing.helloTold(reply.sharing === true);
  announceAll(state, reply.marks);
  state.changed = true;
  state.out.log('info', 'session begun', { device: reply.device, volumes: reply.volumes.length });
  state.prefetch.failed.clear();
  state.prefetch.lookAtAll(request);
  state.waiting.signalAll();
}

/** What this device may see from now on. What it knew of others stays here as it is. */
function takeVolumes(state: ClientState, reply: ReplyOf<'Hello'>): void {
  const { volumes } = state.names;
  const { usual = null, removed = [] } = reply;
  for (const [id, volume] of volumes) {
    volume.isShut = true;
    volume.isRemoved = removed.some((each) => each.id === id);
  }
  for (const info of reply.volumes) takeVolume(state, info);
  volumes.usual = usual;
  volumes.removed = removed.map(({ name }) => name);
  state.out.emit({ kind: 'volumes' });
}

function takeVolume(state: ClientState, info: VolumeInfo): void {
  const known = state.names.volumes.get(info.id);
  if (known === undefined) {
    const row = { info, caughtUp: info.head, blocks: [] };
    state.names.volumes.save(state.names.volumes.add(row, info.head, []));
    return;
  }
  known.row = { ...known.row, info };
  known.head = info.head > known.head ? info.head : known.head;
  known.blocksAsked = false;
  known.isShut = false;
  if (state.config.frontEnd === 'none' && known.row.caughtUp < info.head) {
    known.catchingUp = 'wanted';
  }
  state.names.volumes.save(known);
}

/** Takes a refused Hello: records why for the status, and ends the connection. */
export function onHelloFailed(state: ClientState, code: ErrorCode, detail: string): void {
  state.session.refused({ code, detail });
  state.out.log('error', 'the server refused the session', { code, detail });
  state.changed = true;
  state.requests.disconnect();
}

/** The connection ended. Every request of it has been reported as aborted before. */
export function onClosed(
  state: ClientState,
  reason: CloseReason,
  detail: string,
  fraction: number,
): void {
  const wasUp = state.session.isUp;
  state.session.closed(state.now.at, reason, detail, fraction);
  locksCut(state);
  state.sharing.promises.reset();
  state.sharing.behind.clear();
  abandonEpochChange(state);
  state.sharing.questions.reset();
  state.names.directories.alone.disconnected();
  state.names.asked.clear();
  state.prefetch.asking.clear();
  state.prefetch.askedQuietly.clear();
  lowerAll(state);
  for (const volume of state.names.volumes.values()) {
    if (volume.catchingUp === 'running') volume.catchingUp = 'wanted';
  }
  state.changed = true;
  const level = wasUp ? 'info' : 'debug';
  state.out.log(level, 'connection ended', { reason, detail });
  state.waiting.signalAll();
}

/** The lease ran out: promises are void, and what changed meanwhile is to be asked for. */
export function onLeaseLost(state: ClientState): void {
  for (const [id, volume] of state.names.volumes) {
    if (state.config.frontEnd === 'none' && volume.catchingUp === 'no') {
      volume.catchingUp = 'wanted';
    }
    state.waiting.signal(feedKey(id));
  }
  state.out.log('info', 'lease ran out: promises dropped');
}
