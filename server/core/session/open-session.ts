/**
 * A session begins: the device has one connection, no promises, and a lease from its first reply on.
 *
 * A new session ends all that this instance of the device's daemon had before: its older connection, its promises, and every wait for it. What
 * another run was promised counts until that one's lease is over (previous-instances.ts).
 */
import { rootOf } from '../../../shared/model/fid.ts';
import type { Access, DaemonInstance, StoredDevice } from '../../../shared/model/stored.ts';
import { after, instant } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { MAX_EPOCHS, MAX_VOLUMES } from '../../../shared/wire/limits.ts';
import { DEVICES_TOLD_FROM, NAMES_KEPT_FROM } from '../../../shared/wire/device-rpcs.ts';
import { LOCKS_FROM } from '../../../shared/wire/locks.ts';
import { PROTOCOL, type RequestOf } from '../../../shared/wire/rpcs.ts';
import { COPIES_FROM } from '../../../shared/wire/updates.ts';
import { NAMES_REMOVED_FROM, QUOTA_TOLD_FROM } from '../../../shared/wire/volumes.ts';
import { HELLO_WAIT, LEASE } from '../../limits.ts';
import { onFailure } from '../commit/group-commit.ts';
import { fail, replyAfter } from '../device/answer.ts';
import { mayDo, type ConnectionState, type DeviceState } from '../device/device.ts';
import { rememberLease } from '../device/lease-rows.ts';
import type { CallId } from '../events.ts';
import { Announcements } from '../hidden/announcements.ts';
import { loseLocks } from '../lock/hold-locks.ts';
import { quotaUsageFor } from '../quota/quota-usage.ts';
import { ordersFor } from '../share/report-orders.ts';
import type { Context } from '../state.ts';
import { endGrace } from '../update/begin-updates.ts';
import { giveUp } from '../update/finish-update.ts';
import { advanceLowWater } from '../update/low-water.ts';
import { detach } from './end-session.ts';
import { newestFor } from '../read/tell-devices.ts';
import { beginInstance } from './previous-instances.ts';
import { rightsOf } from './volumes-seen.ts';

/** For a daemon whose Hello names no instance. */
const NO_RUN: DaemonInstance = '';

/** The device has this connection from now on. `newestGroup`: what its rows were read of; Hello is answered when that is durable. */
export function openSession(
  ctx: Context,
  connection: ConnectionState,
  call: CallId,
  request: RequestOf<'Hello'>,
  stored: StoredDevice,
  newestGroup: number,
): void {
  const { state } = ctx;
  const { run = NO_RUN, endedRun = null } = request;
  const device = state.devices.get(stored.id) ?? makeDevice(stored, run);
  state.devices.set(stored.id, device);
  if (device.connection !== null) {
    ctx.out.push({ kind: 'close', connection: device.connection.id });
    detach(ctx, device.connection);
  }
  beginInstance(ctx, device, run, endedRun);
  device.heldReplies.length = 0;
  device.connection = connection;
  connection.device = device;
  ctx.out.push({ kind: 'admit', connection: connection.id });
  noteWhatItTakes(connection, request);
  device.name = stored.name;
  onFailure(ctx, (later, code) => {
    if (device.connection !== connection) return;
    // Not closed: that would overtake the answer, and a disk that is full would look like a server that is away. The device leaves by itself.
    fail(later, null, call, code);
    detach(later, connection);
    state.deadlines.push({ at: after(later.now, HELLO_WAIT), kind: 'hello', connection });
  });
  takeRights(ctx, device, stored);
  if (stored.highest > device.highest) device.highest = stored.highest;
  rememberLease(ctx, device);
  let isAlone = false;
  for (const each of [run, endedRun ?? run]) {
    isAlone = state.leases.isBack({ device: device.id, run: each });
  }
  if (isAlone) endGrace(ctx);
  forgetRenumbered(ctx, device, request.lowWater);
  advanceLowWater(ctx, device, request.lowWater);
  const marks = state.volumes.limits.marks.total(device.id);
  connection.announcements = request.announces === true ? new Announcements(marks > 0) : null;
  const { collecting } = state.commits;
  const staged = collecting.writes.length > 0 ? collecting.id : newestGroup;
  ctx.out.push({
    kind: 'note',
    level: 'info',
    message: 'device connected',
    fields: { device: device.id, name: stored.name, connection: connection.id },
  });
  const protocol = Math.min(request.protocol.max, PROTOCOL.max);
  const body = {
    protocol,
    software: state.software,
    epoch: state.epoch,
    boot: state.boot,
    device: device.id,
    ...{ ...nameFor(connection, stored, request), ...newestFor(ctx, device) },
    user: stored.userName,
    leaseMs: LEASE,
    volumes: [...device.rights.values()].map((access) => volumeInfo(ctx, access)),
    ...(protocol < NAMES_REMOVED_FROM ? {} : seenBeside(device, stored)),
    ...endedFor(ctx, device),
    ...quotaUsageFor(ctx, device, device.rights.keys()),
    ...ordersFor(ctx, device, device.rights.keys()),
    ...(connection.takesUnshared ? { sharing: true } : {}),
    ...(request.announces === true ? { marks } : {}),
  };
  // With the answer it has a lease: its row is durable before.
  replyAfter(ctx, Math.max(staged, device.leaseGroup), device, call, { rpc: 'Hello', body });
}

/** What it may do from now on, and has locked still. */
function takeRights(ctx: Context, device: DeviceState, { access }: StoredDevice): void {
  device.rights = rightsOf(ctx.state, access);
  loseLocks(ctx, device, (volume) => !mayDo(device, volume, 'lock'));
}

/** Its usual volume, and those it would see if they were not removed, as many as a message holds. */
function seenBeside({ rights }: DeviceState, { access, home }: StoredDevice) {
  const removed = access
    .filter(({ isRemoved }) => isRemoved === true)
    .slice(0, MAX_VOLUMES)
    .map(({ volume, name }) => ({ id: volume, name }));
  return {
    ...(home === undefined || !rights.has(home) ? {} : { usual: home }),
    ...(removed.length === 0 ? {} : { removed }),
  };
}

/** What the daemon at the other end understands: older ones say nothing of what came later. */
function noteWhatItTakes(connection: ConnectionState, request: RequestOf<'Hello'>): void {
  connection.ordersAnswers = request.ordersAnswers === true;
  connection.takesPulls = request.takesPulls === true;
  connection.takesUnshared = request.takesUnshared === true && request.announces === true;
  connection.takesOrders = request.takesOrders === true;
  connection.locksTold = request.protocol.max >= LOCKS_FROM ? new Map() : null;
  connection.takesName = request.protocol.max >= NAMES_KEPT_FROM;
  connection.limitsTold = request.protocol.max >= QUOTA_TOLD_FROM ? new Map() : null;
  connection.newestTold = request.protocol.max >= DEVICES_TOLD_FROM ? 0 : null;
  connection.takesCopies = request.protocol.max >= COPIES_FROM;
}

/** What the device is called, if it does not know it. */
function nameFor(
  { takesName }: ConnectionState,
  { name }: StoredDevice,
  { deviceName }: RequestOf<'Hello'>,
) {
  return takesName && name !== deviceName ? { deviceName: name } : {};
}

/**
 * What the connection before left undecided and names an update below the low water: that one was answered, and if it was refused the client has
 * given its dependents other numbers. Below the low water it would count as applied; so it is let go. The device sends again what it still wants.
 */
function forgetRenumbered(ctx: Context, device: DeviceState, lowWater: UpdateSeq): void {
  for (const pending of [...device.updates.values()]) {
    if (pending.result === null && pending.after.some((seq) => seq < lowWater)) {
      giveUp(ctx, pending, null);
    }
  }
}

/** The epochs that have ended, the newest first. */
function endedEpochs({ state }: Context): string[] {
  const cuts = [...state.volumes].flatMap(({ head }) => head.cuts);
  const inOrder = [...cuts].sort((a, b) => b.first - a.first).map(({ epoch }) => epoch);
  return [...new Set(inOrder)].slice(0, MAX_EPOCHS);
}

/** Some epoch is known to both. */
export function sharesHistory(ctx: Context, request: RequestOf<'Hello'>): boolean {
  const { epoch, epochsBefore = [] } = request;
  const ours = new Set([ctx.state.epoch, ...endedEpochs(ctx)]);
  return [epoch, ...epochsBefore].some((each) => each !== null && ours.has(each));
}

function endedFor(ctx: Context, { rights }: DeviceState) {
  const epochs = endedEpochs(ctx);
  if (epochs.length === 0) return {};
  const seen = [...rights.keys()].map((id) => ctx.state.volumes.of(id).head);
  const ended = epochs.map((epoch) => {
    const cuts = seen.flatMap((head) => head.cuts).filter((cut) => cut.epoch === epoch);
    return { epoch, volumes: cuts.map(({ volume, last, first }) => ({ volume, last, first })) };
  });
  return { ended };
}

function volumeInfo(ctx: Context, { volume, name, rights }: Access) {
  const { committed } = ctx.state.volumes.of(volume).head;
  return { id: volume, name, root: rootOf(volume), rights, head: committed };
}

function makeDevice(stored: StoredDevice, run: DaemonInstance): DeviceState {
  return {
    id: stored.id,
    name: stored.name,
    user: stored.user,
    userName: stored.userName,
    connection: null,
    rights: new Map(),
    run,
    lease: instant(Number.NEGATIVE_INFINITY),
    leaseWatched: false,
    leaseGroup: 0,
    missedBreaks: 0,
    pausedUntil: instant(Number.NEGATIVE_INFINITY),
    lastGrant: 0,
    lowWater: stored.lowWater,
    highest: stored.highest,
    updates: new Map(),
    parked: new Map(),
    batches: [],
    waiting: 0,
    owed: 0,
    heldReplies: [],
  };
}
