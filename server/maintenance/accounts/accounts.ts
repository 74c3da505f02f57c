/**
 * What an administrator says to a server: on its database, whether it runs or not. A server that runs heeds an invitation at
 * once, and a revocation within a second.
 */
import { networkInterfaces } from 'node:os';
import { parseAddress } from '../../../shared/control/addresses.ts';
import type { Rights } from '../../../shared/model/change.ts';
import type { HostPort } from '../../../shared/model/host-port.ts';
import { formatInvitation } from '../../../shared/model/invitation.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { isLabel } from '../../../shared/wire/fields.ts';
import * as epochs from '../restore/begin-epoch.ts';
import * as devices from './devices.ts';
import * as invitations from './invitations.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
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
  readonly volume: string;
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

/** The text to give to a person. Throws GodwitError `no-server`, `folder-unusable`, `bad-address`, `usage`, `no-such-volume`. */
export function createInvitation(dataDir: string, options: InvitationOptions): string {
  const { user, volume, rights, hours } = options;
  if (!isLabel(user)) throw new GodwitError('usage', 'that is no possible name of a user');
  if (!(hours > 0)) throw new GodwitError('usage', 'an invitation is good for some hours at least');
  // Only a server makes one, together with its identity and its first volume.
  const folder = startedFolder(dataDir);
  return withDatabase(folder, (database) => {
    const identity = readIdentity(folder);
    if (identity === null) throw neverStarted(folder);
    const address = addressFor(folder, options.address);
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
  return withDatabase(startedFolder(dataDir), (database) =>
    invitations.listInvitations(database).map((row) => ({
      id: row.id,
      user: row.userName,
      volume: row.volumeName,
      rights: row.rights,
      state: row.redeemed !== null ? 'used' : row.expires <= now ? 'expired' : 'open',
      expires: dateOf(row.expires),
    })),
  );
}

/** All devices, revoked ones among them. */
export function listDevices(dataDir: string): DeviceRow[] {
  return withDatabase(startedFolder(dataDir), (database) =>
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

/** Shuts the device out for good; nothing happens where it is out. Throws GodwitError `not-found`. */
export function revokeDevice(dataDir: string, device: number): void {
  const found = withDatabase(startedFolder(dataDir), (database) =>
    devices.revokeDevice(database, device, Date.now() as WallTime),
  );
  if (!found)
    throw new GodwitError(
      'not-found',
      `there is no device ${device}`,
      'see `godwit server devices`',
    );
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
    return withDatabase(folder, (database) => {
      const begun = epochs.beginEpoch(database, Date.now() as WallTime, new SystemRandom());
      return begun.volumes.map(({ name, last }) => ({ volume: name, lastCommit: last }));
    });
  } finally {
    lock.release();
  }
}

function withDatabase<T>(folder: DataFolder, work: (database: Sqlite) => T): T {
  const database = openServerDatabase(folder.database);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function addressFor(folder: DataFolder, given: string | undefined) {
  const listening = lastListening(folder);
  const last = listening === null ? null : parseAddress(listening, null);
  if (given !== undefined) return parseAddress(given, last?.port ?? null);
  if (last === null) throw neverStarted(folder);
  return reachable(last);
}

/** Where others find a server that listens on all of its interfaces: the first that leads out, or only itself. */
export function reachable(address: HostPort): HostPort {
  if (!WILDCARDS.has(address.host)) return address;
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outward = all.find(({ internal, family }) => !internal && family === 'IPv4');
  return { host: outward?.address ?? '127.0.0.1', port: address.port };
}

const dateOf = (time: WallTime): string => new Date(time).toISOString();
