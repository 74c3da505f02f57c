/**
 * What an administrator says to a server: on its database, whether it runs or not. A server that runs heeds an invitation at
 * once, and a revocation within a second.
 */
import { networkInterfaces } from 'node:os';
import { parseAddress } from '../../../shared/control/addresses.ts';
import { deviceNameFault } from '../../../shared/model/device-name.ts';
import type { Rights } from '../../../shared/model/change.ts';
import type { HostPort } from '../../../shared/model/host-port.ts';
import { formatInvitation, isHostOfInvitation } from '../../../shared/model/invitation.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import * as epochs from '../restore/begin-epoch.ts';
import * as devices from './devices.ts';
import * as invitations from './invitations.ts';
import { withServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import {
  type DataFolder,
  lastListening,
  lockData,
  mustStop,
  neverStarted,
  startedFolder,
} from '../../data-folder.ts';
import { readIdentity } from '../../identity-file.ts';

export interface InvitationOptions {
  /** Whose device it will be; a user of a new name is made. */
  readonly user: string;
  /** Null: the home volume of the user, which is made where there is none. */
  readonly volume: string | null;
  readonly rights: Rights;
  /** How long it is good for. */
  readonly hours: number;
  /** `HOST:PORT` where the device finds the server; where it last listened, if left out. */
  readonly address?: string;
}

/** Rows for people: dates as ISO 8601. */
export interface InvitationRow {
  readonly id: string;
  readonly user: string;
  readonly volume: string;
  readonly rights: Rights;
  readonly state: 'open' | 'used' | 'expired';
  readonly expires: string;
  /** When it was used, and by which device; null: it was not, or nobody knows the device any more. */
  readonly used: string | null;
  readonly device: string | null;
}

export interface DeviceRow {
  readonly id: number;
  readonly name: string;
  readonly user: string;
  readonly state: 'admitted' | 'revoked';
  readonly created: string;
  readonly lastHello: string;
}

/** What a backup has of a volume. */
export interface RestoredRow {
  readonly volume: string;
  readonly lastCommit: number;
}

const HOUR_MS = 3_600_000;
const WILDCARDS = new Set(['0.0.0.0', '::', '']);

/** The text to give to a person. Throws GodwitError `no-server`, `folder-unusable`, `bad-address`, `usage`, `no-such-volume`, `volume-removed`, `exists`. */
export function createInvitation(dataDir: string, options: InvitationOptions): string {
  const { user, volume, rights, hours } = options;
  if (!(hours > 0)) throw new GodwitError('usage', 'an invitation is good for some hours at least');
  // Only a server makes one, together with its identity and its first volume.
  const folder = startedFolder(dataDir);
  return withServerDatabase(folder.database, (database) => {
    const identity = readIdentity(folder);
    if (identity === null) throw neverStarted(folder);
    const address = addressFor(folder, options.address);
    if (!isHostOfInvitation(address.host)) {
      const remedy = 'give a name in ASCII letters, such as xn--..., or an address';
      throw new GodwitError('bad-address', `${address.host}: an invitation can't name it`, remedy);
    }
    const now = Date.now() as WallTime;
    const expires = (now + hours * HOUR_MS) as WallTime;
    const request = { userName: user, volumeName: volume, rights, now, expires };
    const made = invitations.createInvitation(database, request, new SystemRandom());
    return formatInvitation({ ...address, fingerprint: identity.fingerprint, ...made });
  });
}

/** All invitations, used and expired ones among them. */
export function listInvitations(dataDir: string): InvitationRow[] {
  const now = Date.now();
  return withServerDatabase(startedFolder(dataDir).database, (database) =>
    invitations.listInvitations(database).map((row) => ({
      id: row.id,
      user: row.userName,
      volume: row.volumeName,
      rights: row.rights,
      state: row.redeemed !== null ? 'used' : row.expires <= now ? 'expired' : 'open',
      expires: dateOf(row.expires),
      used: row.redeemed === null ? null : dateOf(row.redeemed),
      device: row.deviceName,
    })),
  );
}

/**
 * Ends the one open invitation whose number begins so, and gives the whole number. Throws GodwitError `not-found`, and `usage` where several
 * begin so.
 */
export function withdrawInvitation(dataDir: string, begins: string): string {
  const found = withServerDatabase(startedFolder(dataDir).database, (database) =>
    invitations.withdrawInvitation(database, begins, Date.now() as WallTime),
  );
  const [id] = found;
  const see = 'see `godwit server invitations`';
  if (id === undefined) {
    throw new GodwitError('not-found', `no open invitation begins with ${begins}`, see);
  }
  if (found.length === 1) return id;
  throw new GodwitError('usage', `several open invitations begin with ${begins}`, see);
}

/** All devices, revoked ones among them. */
export function listDevices(dataDir: string): DeviceRow[] {
  return withServerDatabase(startedFolder(dataDir).database, (database) =>
    devices.listDevices(database).map((row) => ({
      id: row.id,
      name: row.name,
      user: row.userName,
      state: row.revoked === null ? 'admitted' : 'revoked',
      created: dateOf(row.created),
      lastHello: dateOf(row.lastHello),
    })),
  );
}

/**
 * The device is called so from now on. Throws GodwitError `usage` for what is no name, `not-found`, `device-name-taken`.
 */
export function renameDevice(dataDir: string, device: number, name: string): void {
  const fault = deviceNameFault(name);
  if (fault !== null) throw new GodwitError('usage', `a device can not be called so: ${fault}`);
  const found = withServerDatabase(startedFolder(dataDir).database, (database) =>
    devices.renameDevice(database, device, name),
  );
  if (!found) throw noDevice(device);
}

const noDevice = (device: number): GodwitError =>
  new GodwitError('not-found', `there is no device ${device}`, 'see `godwit server devices`');

/** Shuts the device out for good; nothing happens where it is out. Throws GodwitError `not-found`. */
export function revokeDevice(dataDir: string, device: number): void {
  const found = withServerDatabase(startedFolder(dataDir).database, (database) =>
    devices.revokeDevice(database, device, Date.now() as WallTime),
  );
  if (!found) throw noDevice(device);
}

/**
 * The data folder was put back from a backup: its history goes on as a new epoch (rule I1), and the devices offer what they know of
 * the lost part. Throws GodwitError `already-running`, `in-the-way`.
 */
export function beginEpoch(dataDir: string, host: Host): RestoredRow[] {
  const folder = startedFolder(dataDir);
  const lock = lockData(folder, host);
  if (lock === null) {
    throw mustStop(`a server runs on ${folder.path}`);
  }
  try {
    return withServerDatabase(folder.database, (database) => {
      const begun = epochs.beginEpoch(database, Date.now() as WallTime, new SystemRandom());
      return begun.volumes.map(({ name, last }) => ({ volume: name, lastCommit: last }));
    });
  } finally {
    lock.release();
  }
}

function addressFor(folder: DataFolder, given: string | undefined) {
  const listening = lastListening(folder);
  const last = listening === null ? null : parseAddress(listening, null);
  if (given !== undefined) return parseAddress(given, last?.port ?? null);
  if (last === null) throw neverStarted(folder);
  return reachable(last);
}

/** Where a program on this machine finds the server. Throws GodwitError `no-server`, `folder-unusable`. */
export function listeningOf(dataDir: string): HostPort {
  const folder = startedFolder(dataDir);
  const last = lastListening(folder);
  if (last === null) throw neverStarted(folder);
  const { host, port } = parseAddress(last, null);
  if (!WILDCARDS.has(host)) return { host, port };
  return { host: host === '::' ? '::1' : '127.0.0.1', port };
}

/** Where others find a server that listens on all of its interfaces: the first that leads out, or only itself. */
export function reachable(address: HostPort): HostPort {
  if (!WILDCARDS.has(address.host)) return address;
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outward = all.find(({ internal, family }) => !internal && family === 'IPv4');
  return { host: outward?.address ?? '127.0.0.1', port: address.port };
}

const dateOf = (time: WallTime): string => new Date(time).toISOString();
