/** Rows about who may do what: devices, the access of their users, invitations. */
import type { RightSet } from '../../../shared/model/access-list.ts';
import type { DeviceId, Rights } from '../../../shared/model/change.ts';
import { onceInvited } from '../../../shared/model/decide-access.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type {
  Access,
  DeviceAccess,
  KeyOf,
  NamedDevice,
  StoredDevice,
  StoredInvitation,
} from '../../../shared/model/stored.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import { accessPicture } from './access-rows.ts';
import type { Statements } from './statements.ts';

const ACCESS =
  'SELECT access.volume, volume.name, access.rights, may, removed_ms FROM access' +
  ' JOIN volume ON volume.id = access.volume WHERE access.user = ? ORDER BY access.volume';

/** Also of a device that was paired in the moment in which its person was removed. */
const REVOKED = 'coalesce(device.revoked_ms, user.removed_ms)';

const DEVICE =
  'SELECT device.id, device.name, device.user, user.name AS user_name, user.home,' +
  ` ${REVOKED} AS revoked_ms, incarnation, low_water,` +
  ' (SELECT max(seq) FROM applied WHERE applied.device = device.id) AS highest' +
  ' FROM device JOIN user ON user.id = device.user WHERE fingerprint = ?';

const INVITATION =
  'SELECT secret_hash, invitation.user, user.name AS user_name, invitation.volume,' +
  ' volume.name AS volume_name, volume.removed_ms, rights, expires_ms, redeemed_by' +
  ' FROM invitation JOIN user ON user.id = invitation.user' +
  ' JOIN volume ON volume.id = invitation.volume WHERE invitation.id = ?';

/** The volumes a user may use, with the rights for each. */
function accessOfUser(statements: Statements, user: number): Access[] {
  type Row = Omit<Access, 'may'> & { may: RightSet | null; removed_ms: number | null };
  return statements.all<Row>(ACCESS, user).map(({ removed_ms: removed, may, ...access }) => ({
    ...access,
    ...(may === null ? {} : { may }),
    ...(removed === null ? {} : { isRemoved: true }),
  }));
}

/** Whether a device is revoked, and what its user may use; null if there is no such device. */
export function accessOfDevice(statements: Statements, device: DeviceId): DeviceAccess | null {
  const row = statements.get<{ name: string; user: number; revoked_ms: number | null }>(
    `SELECT device.name, user, ${REVOKED} AS revoked_ms FROM device JOIN user ON user.id = device.user WHERE device.id = ?`,
    device,
  );
  if (row === null) return null;
  const revoked = row.revoked_ms !== null;
  return { device, name: row.name, revoked, access: accessOfUser(statements, row.user) };
}

/** What the devices of a user are called that are not revoked. */
export function deviceNames(statements: Statements, user: number): NamedDevice[] {
  const sql =
    'SELECT id, name, created_ms AS since FROM device WHERE user = ? AND revoked_ms IS NULL ORDER BY id';
  return statements.all<NamedDevice>(sql, user);
}

/** The device with this certificate; null if none was paired with it. */
export function deviceByFingerprint(
  statements: Statements,
  fingerprint: string,
): StoredDevice | null {
  const row = statements.get<{
    id: DeviceId;
    name: string;
    user: number;
    user_name: string;
    home: VolumeId | null;
    revoked_ms: number | null;
    incarnation: string;
    low_water: UpdateSeq;
    highest: UpdateSeq | null;
  }>(DEVICE, fingerprint);
  if (row === null) return null;
  const { id, name, user, incarnation, low_water: lowWater } = row;
  return {
    id,
    fingerprint,
    name,
    user,
    userName: row.user_name,
    revoked: row.revoked_ms !== null,
    // Empty: the epoch began after its last Hello.
    incarnation: incarnation === '' ? null : incarnation,
    lowWater,
    highest: row.highest ?? (Math.max(lowWater - 1, 0) as UpdateSeq),
    access: accessOfUser(statements, user),
    ...(row.home === null ? {} : { home: row.home }),
  };
}

/** The invitation with its volume and whether it is used; null if there is none. */
export function invitationById(statements: Statements, id: string): StoredInvitation | null {
  const row = statements.get<{
    secret_hash: string;
    user: number;
    user_name: string;
    volume: VolumeId;
    volume_name: string;
    rights: Rights;
    removed_ms: number | null;
    expires_ms: WallTime;
    redeemed_by: string | null;
  }>(INVITATION, id);
  if (row === null) return null;
  return {
    id,
    secretHash: row.secret_hash,
    user: row.user,
    userName: row.user_name,
    volume: row.volume,
    rights: row.rights,
    expires: row.expires_ms,
    redeemedBy: row.redeemed_by,
    access: accessOfUser(statements, row.user),
    becomes: onceInvited(accessPicture(statements), row),
    volumeName: row.volume_name,
    deviceNames: deviceNames(statements, row.user),
    ...(row.removed_ms === null ? {} : { isRemoved: true }),
  };
}

const UNUSED_BLOCKS =
  'SELECT uniquifier FROM block WHERE volume = ? AND device = ? AND NOT EXISTS (SELECT 1 FROM vnode' +
  ' WHERE vnode.volume = block.volume AND vnode.vnode >= block.first AND vnode.vnode < block.first + block.count' +
  ' AND vnode.uniquifier = block.uniquifier) ORDER BY uniquifier LIMIT ?';

/**
 * The uniquifiers of blocks that a device was given and has not used, the lowest first, `limit` at
 * most.
 */
export function unusedBlocks(
  statements: Statements,
  { volume, device, limit }: KeyOf<'unused-blocks'>,
): number[] {
  const rows = statements.all<{ uniquifier: number }>(UNUSED_BLOCKS, volume, device, limit);
  return rows.map(({ uniquifier }) => uniquifier);
}
