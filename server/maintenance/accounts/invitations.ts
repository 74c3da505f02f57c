/**
 * What an administrator does with invitations, on the database of a server that may be running in another process.
 *
 * The secret of an invitation exists in the text handed to a person and nowhere else: here is its hash.
 */
import type { Rights } from '../../../shared/model/change.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import { hashOfSecret } from '../../../shared/model/invitation.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Random } from '../../../shared/ports/random.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { findVolume, makeOwned, presentVolume, refuseTooMany } from '../volumes/volumes.ts';
import { personNameFrom, volumeNameFrom } from './new-name.ts';
import { makePerson, pastVolume, personNamed, refuseTaken } from './people.ts';

export interface InvitationRequest {
  /** Names as the protocol has them (labels): the caller has checked. The user is made where there is none of that name. */
  readonly userName: string;
  /** Null: the home volume of the user, which is made where there is none. */
  readonly volumeName: string | null;
  /** What its user may do in the volume from the moment it is used. */
  readonly rights: Rights;
  readonly expires: WallTime;
  readonly now: WallTime;
}

/** The two parts of an invitation that are the server's to give (shared/model/invitation.ts): 32 hex digits each. */
export interface NewInvitation {
  readonly id: string;
  readonly secret: string;
}

export interface ListedInvitation {
  readonly id: string;
  readonly userName: string;
  readonly volumeName: string;
  readonly rights: Rights;
  readonly created: WallTime;
  readonly expires: WallTime;
  /** When it was used, and the fingerprint of the device that did; or null. */
  readonly redeemed: WallTime | null;
  readonly redeemedBy: string | null;
  /** What that device is called. */
  readonly deviceName: string | null;
}

const TOKEN_BYTES = 16;

const LIST =
  'SELECT invitation.id, user.name AS userName, volume.name AS volumeName, rights,' +
  ' invitation.created_ms AS created, expires_ms AS expires, redeemed_ms AS redeemed, redeemed_by AS redeemedBy,' +
  ' device.name AS deviceName FROM invitation JOIN user ON user.id = invitation.user' +
  ' LEFT JOIN device ON device.fingerprint = redeemed_by' +
  ' JOIN volume ON volume.id = invitation.volume ORDER BY invitation.created_ms, invitation.id';

/** Throws GodwitError `no-such-volume`, `volume-removed`, `exists` (another volume has the name of the home), `usage` (too many volumes). */
export function createInvitation(
  database: Sqlite,
  request: InvitationRequest,
  random: Random,
): NewInvitation {
  const id = random.hex(TOKEN_BYTES);
  const secret = random.hex(TOKEN_BYTES);
  const insert = database.transaction(() => {
    const { userName, volumeName, rights, now, expires } = request;
    // Who is there already keeps a name that nobody gets today.
    if (personNamed(database, userName) === null) {
      refuseTaken(database, personNameFrom(userName));
    }
    const user = makePerson(database, userName);
    const volume =
      volumeName === null
        ? homeOf(database, { id: user, name: userName }, now, random)
        : presentVolume(database, volumeName).id;
    refuseTooMany(database, volume, user);
    database
      .prepare(
        'INSERT INTO invitation (id, secret_hash, user, volume, rights, created_ms, expires_ms)' +
          ' VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(...[id, hashOfSecret(secret), user, volume, rights, now, expires]);
  });
  insert.immediate();
  return { id, secret };
}

/** Oldest first. */
export function listInvitations(database: Sqlite): ListedInvitation[] {
  return database.prepare(LIST).all() as ListedInvitation[];
}

/**
 * Those whose number begins so and that are open are good no longer; a running server heeds it at once. Gives the numbers: none, one,
 * or several of which nothing was done.
 */
export function withdrawInvitation(database: Sqlite, begins: string, now: WallTime): string[] {
  const find = database
    .prepare<[number, string, WallTime], string>(
      'SELECT id FROM invitation WHERE substr(id, 1, ?) = ? AND redeemed_ms IS NULL' +
        ' AND expires_ms > ? ORDER BY id LIMIT 2',
    )
    .pluck();
  const withdraw = database.transaction((): string[] => {
    const found = find.all(begins.length, begins, now);
    if (found.length !== 1) return found;
    database.prepare('UPDATE invitation SET expires_ms = ? WHERE id = ?').run(now, ...found);
    return found;
  });
  return withdraw.immediate();
}

/** The volume that is for a person: one that bears their name, if there is none yet. */
function homeOf(
  database: Sqlite,
  { id, name }: { id: number; name: string },
  now: WallTime,
  random: Random,
): VolumeId {
  const called = database
    .prepare<[number], string>(
      'SELECT volume.name FROM user JOIN volume ON volume.id = home WHERE user.id = ?',
    )
    .pluck()
    .get(id);
  if (called !== undefined) return presentVolume(database, called).id;
  const home = ownedHome(database, id, name) ?? makeHome(database, name, now, random);
  database.prepare('UPDATE user SET home = ? WHERE id = ?').run(home, id);
  return home;
}

const makeHome = (database: Sqlite, name: string, now: WallTime, random: Random): VolumeId =>
  makeOwned(
    database,
    { name: volumeNameFrom(name), owner: name, quota: null, lost: null },
    now,
    random,
  );

/** Null: no volume bears the name of the person. */
function ownedHome(database: Sqlite, owner: number, name: string): VolumeId | null {
  if (findVolume(database, name) === null) return null;
  const { id } = presentVolume(database, name);
  if (database.prepare('SELECT 1 FROM volume WHERE id = ? AND owner = ?').get(id, owner)) return id;
  const why = `there is a volume ${name}, and it is not ${name}'s`;
  throw new GodwitError('exists', why, pastVolume(name));
}
