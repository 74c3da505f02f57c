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

export interface InvitationRequest {
  /** Names as the protocol has them (labels): the caller has checked. The user is made where there is none of that name. */
  readonly userName: string;
  readonly volumeName: string;
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
}

const TOKEN_BYTES = 16;

const LIST =
  'SELECT invitation.id, user.name AS userName, volume.name AS volumeName, rights,' +
  ' created_ms AS created, expires_ms AS expires, redeemed_ms AS redeemed, redeemed_by AS redeemedBy' +
  ' FROM invitation JOIN user ON user.id = invitation.user' +
  ' JOIN volume ON volume.id = invitation.volume ORDER BY created_ms, invitation.id';

/** Throws GodwitError `no-such-volume`. */
export function createInvitation(
  database: Sqlite,
  request: InvitationRequest,
  random: Random,
): NewInvitation {
  const id = random.hex(TOKEN_BYTES);
  const secret = random.hex(TOKEN_BYTES);
  const insert = database.transaction(() => {
    const volume = volumeByName(database, request.volumeName);
    database.prepare('INSERT OR IGNORE INTO user (name) VALUES (?)').run(request.userName);
    database
      .prepare(
        'INSERT INTO invitation (id, secret_hash, user, volume, rights, created_ms, expires_ms)' +
          ' VALUES (?, ?, (SELECT id FROM user WHERE name = ?), ?, ?, ?, ?)',
      )
      .run(
        ...[id, hashOfSecret(secret), request.userName],
        ...[volume, request.rights, request.now, request.expires],
      );
  });
  insert.immediate();
  return { id, secret };
}

/** Oldest first. */
export function listInvitations(database: Sqlite): ListedInvitation[] {
  return database.prepare(LIST).all() as ListedInvitation[];
}

function volumeByName(database: Sqlite, name: string): VolumeId {
  const row = database.prepare('SELECT id FROM volume WHERE name = ?').get(name);
  if (row === undefined) throw new GodwitError('no-such-volume', `there is no volume ${name}`);
  return (row as { id: VolumeId }).id;
}
