/**
 * Hello: who is this, and is it still the one it was?
 *
 * Looked at in this order: the protocol, the epoch and how far it goes (rule I1), the device by its fingerprint, or else its invitation, and the
 * incarnation of its data folder (rule I2). All of it is rows read for this Hello, so what an administrator did a moment ago counts (hear-access.ts).
 */
import { freeDeviceName } from '../../../shared/model/device-name.ts';
import { hashOfSecret } from '../../../shared/model/invitation.ts';
import type {
  Access,
  NamedDevice,
  StoredDevice,
  StoredInvitation,
} from '../../../shared/model/stored.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { RowKey } from '../../../shared/model/stored.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import { PROTOCOL, type RequestOf } from '../../../shared/wire/rpcs.ts';
import { NAMES_REMOVED_FROM } from '../../../shared/wire/volumes.ts';
import { beginLoad, show, stage } from '../commit/group-commit.ts';
import { rowKeyText } from '../commit/row-key.ts';
import type { LoadedRows, RowView } from '../commit/row-view.ts';
import { fail } from '../device/answer.ts';
import type { ConnectionState } from '../device/device.ts';
import type { CallId } from '../events.ts';
import { viewOf, type Context, type HelloJob } from '../state.ts';
import { openSession, sharesHistory } from './open-session.ts';
import { hasTooManyInstances } from './previous-instances.ts';
import { rightsOf, volumesChanged } from './volumes-seen.ts';

type Hello = RequestOf<'Hello'>;

/** Of the server's log: an invitation was used. */
export const PAIRED = 'device paired';

/** Looks at what can be judged without rows, and asks for those of the device and its invitation. */
export function beginHello(
  ctx: Context,
  connection: ConnectionState,
  call: CallId,
  request: Hello,
): void {
  const { protocol, epoch, invitation } = request;
  if (connection.device !== null || connection.greeting) {
    fail(ctx, connection.device, call, 'bad-message', 'one Hello for each connection');
  } else if (protocol.min > PROTOCOL.max || protocol.max < PROTOCOL.min) {
    fail(ctx, null, call, 'protocol-version');
  } else if (epoch !== null && !sharesHistory(ctx, request)) {
    fail(ctx, null, call, 'epoch-changed');
  } else if (request.epochsBefore?.includes(ctx.state.epoch) === true) {
    refuseAsBehind(ctx, connection, call);
  } else {
    connection.greeting = true;
    const keys: RowKey[] = [{ kind: 'device', fingerprint: connection.fingerprint }];
    if (invitation !== null) keys.push({ kind: 'invitation', id: invitation.id });
    beginLoad(ctx, keys, { kind: 'hello', connection, call, request });
  }
}

/**
 * The device has heard of commits of this epoch that are not here: nobody declared them lost (rule I1). Looked at in volumes that it sees: who names
 * others is not told whether they are there, or how far they are.
 */
function isBehind(
  { state }: Context,
  { access }: StoredDevice,
  { epoch, heads = [] }: Hello,
): boolean {
  if (epoch !== state.epoch) return false;
  const seen = rightsOf(state, access);
  return heads.some(
    ({ volume, head }) => seen.has(volume) && head > state.volumes.of(volume).head.committed,
  );
}

/** This server was put back, and has not begun another epoch. */
function refuseAsBehind(ctx: Context, connection: ConnectionState, call: CallId): void {
  ctx.out.push({
    kind: 'note',
    level: 'error',
    message: 'a device knows later commits than this server: it was put back from a backup',
    fields: { fingerprint: connection.fingerprint },
  });
  fail(ctx, null, call, 'server-behind');
}

/** The rows are here: the session begins, or the call fails with the reason. */
export function answerHello(ctx: Context, job: HelloJob, rows: LoadedRows): void {
  const { connection, call, request } = job;
  connection.greeting = false;
  const { fingerprint } = connection;
  const stored = rows.row({ kind: 'device', fingerprint }) ?? null;
  if (!ctx.state.calls.has(call)) return;
  if (looksForVolumes(ctx, job, rows)) return;
  const view = viewOf(ctx, rows);
  const known = knownDevice(view.device(fingerprint), stored);
  const device = known ?? redeem(ctx, connection, request, view);
  if (typeof device === 'string') {
    fail(ctx, null, call, device);
    return;
  }
  if (ctx.state.revoked.has(device.id)) {
    fail(ctx, null, call, 'device-revoked');
    return;
  }
  if (isBehind(ctx, device, request)) {
    refuseAsBehind(ctx, connection, call);
    return;
  }
  const { previous, next } = request.incarnation;
  const { incarnation } = device;
  if (incarnation !== null && incarnation !== previous && incarnation !== next) {
    fail(ctx, null, call, 'incarnation-reused');
    return;
  }
  if (knowsFewerNumbers(ctx, device, request)) {
    fail(ctx, null, call, 'incarnation-reused');
    return;
  }
  if (hasTooManyInstances(ctx, ctx.state.devices.get(device.id))) {
    fail(ctx, null, call, 'try-again');
    return;
  }
  const current = incarnation === next ? device : takeIncarnation(ctx, device, request);
  openSession(ctx, connection, call, request, current, view.newestGroup);
}

/** A volume of this device was made a moment ago: what there is of volumes is read with the rows of the device, once. */
function looksForVolumes(
  ctx: Context,
  { connection, ...job }: HelloJob,
  rows: LoadedRows,
): boolean {
  const found = rows.row({ kind: 'volumes' });
  if (found !== undefined) {
    volumesChanged(ctx, found);
    return false;
  }
  const { invitation } = job.request;
  const { fingerprint } = connection;
  const keys: RowKey[] = [{ kind: 'device', fingerprint }];
  if (invitation !== null) keys.push({ kind: 'invitation', id: invitation.id });
  const device = rows.row({ kind: 'device', fingerprint }) ?? null;
  const invited = invitation === null ? null : rows.row({ kind: 'invitation', ...invitation });
  const seen = [...(device?.access ?? []), ...(invited?.access ?? [])].map(({ volume }) => volume);
  if (invited) seen.push(invited.volume);
  if (seen.every((volume) => ctx.state.volumes.has(volume))) return false;
  connection.greeting = true;
  beginLoad(ctx, [...keys, { kind: 'volumes' }], { connection, ...job });
  return true;
}

/** A row of ours that is not committed yet knows nothing of what an administrator did since. */
function knownDevice(view: StoredDevice | null, stored: StoredDevice | null): StoredDevice | null {
  if (view === null || stored === null) return view;
  return { ...view, revoked: stored.revoked, access: stored.access };
}

/**
 * The device has used numbers that this data folder has not, or has had answers that are not here: it was copied while the other copy
 * went on. To let it in would give its next updates the answers of the other's, and leave older ones without any.
 */
function knowsFewerNumbers(
  { state }: Context,
  { id, highest, lowWater }: StoredDevice,
  { lastSeq, lowWater: named }: Hello,
): boolean {
  if (lastSeq === undefined) return false;
  if (named < Math.max(lowWater, state.devices.get(id)?.lowWater ?? 0)) return true;
  const pending = state.devices.get(id)?.updates.keys() ?? [];
  const announced = state.volumes.marksOf(id).map(({ seq }) => seq ?? 0);
  const used = [...pending, ...announced];
  return Math.max(highest, state.devices.get(id)?.highest ?? 0, ...used) > lastSeq;
}

/** A device that uses an invitation for the first time, under a name that no other of its user has; or why it may not. */
function redeem(
  ctx: Context,
  connection: ConnectionState,
  request: Hello,
  view: RowView,
): StoredDevice | ErrorCode {
  const { fingerprint } = connection;
  if (request.invitation === null) return 'not-paired';
  const { id, secret } = request.invitation;
  const stored = view.invitation(id);
  if (stored === null || stored.secretHash !== hashOfSecret(secret)) return 'invitation-unknown';
  if (stored.redeemedBy !== null && stored.redeemedBy !== fingerprint) return 'invitation-used';
  if (stored.expires <= ctx.wall) return 'invitation-expired';
  // It is good again when the volume is back.
  if (stored.isRemoved) return knowsRemoved(request) ? 'volume-removed' : 'no-such-volume';
  const { user, userName, volume, rights } = stored;
  stage(ctx, { kind: 'redeemed', id, fingerprint, user, volume, rights, when: ctx.wall });
  const used = { ...stored, redeemedBy: fingerprint };
  show(ctx, ctx.state.rows, rowKeyText({ kind: 'invitation', id }), used);
  const device = named(ctx, request.deviceName, user, view);
  ctx.out.push({
    kind: 'note',
    level: 'info',
    message: PAIRED,
    fields: { device: device.id, name: device.name, user: userName, volume: stored.volumeName },
  });
  return {
    id: device.id,
    name: device.name,
    fingerprint,
    user,
    userName,
    revoked: false,
    incarnation: null,
    lowWater: 0 as UpdateSeq,
    highest: 0 as UpdateSeq,
    access: withRight(stored, { volume, name: stored.volumeName, rights }),
    // What it was invited for.
    home: volume,
  };
}

/** The number of a new device, and a name that no other of its user has, also of those that are not durable yet. */
function named(ctx: Context, asked: string, user: number, view: RowView): NamedDevice {
  const others = view.deviceNames(user);
  const taken = others.map(({ name }) => name);
  const id = ctx.state.nextDevice++;
  const device = { id, name: freeDeviceName(asked, taken), since: ctx.wall };
  const all = [...others, device];
  show(ctx, ctx.state.rows, rowKeyText({ kind: 'device-names', user }), all);
  return device;
}

const knowsRemoved = ({ protocol }: Hello): boolean => protocol.max >= NAMES_REMOVED_FROM;

/** Rights are only ever added by an invitation, never taken; but a list may deny what it gives. */
function withRight({ access, becomes }: StoredInvitation, given: Access): Access[] {
  const before = access.find(({ volume }) => volume === given.volume);
  const others = access.filter(({ volume }) => volume !== given.volume);
  if (becomes === null) return others;
  const added = before?.rights === 'write' ? before : given;
  const right =
    becomes === undefined ? { ...given, rights: added.rights } : { ...given, ...becomes };
  return [...others, right].sort((a, b) => a.volume - b.volume);
}

/** The data folder has a new incarnation; the one before can not come back. */
function takeIncarnation(ctx: Context, device: StoredDevice, request: Hello): StoredDevice {
  const current = { ...device, incarnation: request.incarnation.next };
  stage(ctx, {
    kind: 'device',
    id: device.id,
    fingerprint: device.fingerprint,
    name: device.name,
    user: device.user,
    incarnation: request.incarnation.next,
    previousIncarnation: device.incarnation,
    when: ctx.wall,
  });
  const key = rowKeyText({ kind: 'device', fingerprint: device.fingerprint });
  show(ctx, ctx.state.rows, key, current);
  return current;
}
