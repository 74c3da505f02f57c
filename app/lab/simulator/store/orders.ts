/** What administrators have said to a simulated server, to be said again to one that was put back and does not know it. */
import type { DeviceId, Rights } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { InvitationRow, Tables } from './plain-tables.ts';

/** In words that mean the same after a restore. */
export interface Orders {
  readonly users: readonly string[];
  readonly rights: ReadonlyArray<{ user: string; volume: VolumeId; rights: Rights }>;
  readonly limits: ReadonlyArray<{ volume: VolumeId; limit: number | null }>;
  /** Fingerprints of devices. */
  readonly revoked: readonly string[];
  /** Unused invitations, each with the name of its user. */
  readonly open: ReadonlyArray<{ readonly row: InvitationRow; readonly userName: string }>;
}

/** Who carries them out. */
interface Administered {
  userNamed(name: string): number;
  allow(user: number, volume: VolumeId, rights: Rights | null): void;
  limit(volume: VolumeId, limit: number | null): void;
  invite(row: InvitationRow): void;
  revoke(device: DeviceId): void;
}

/**
 * Collects what administrators have set: users, rights, quotas, revocations, and unused
 * invitations.
 */
export function ordersIn({ users, rights, volumes, devices, invitations }: Tables): Orders {
  const unused = [...invitations.values()].filter(({ redeemedBy }) => redeemedBy === null);
  return {
    users: [...users.values()],
    rights: [...rights.values()].map((row) => ({ ...row, user: users.get(row.user) ?? '' })),
    limits: [...volumes.values()].map(({ id, limit }) => ({ volume: id, limit })),
    revoked: [...devices.values()].filter((row) => row.revoked).map((row) => row.fingerprint),
    open: unused.map((row) => ({ row, userName: users.get(row.user) ?? '' })),
  };
}

/** Of users, volumes and devices that are known there. */
export function giveOrders(
  rows: Administered,
  { users, rights, volumes, devices, invitations }: Tables,
  orders: Orders,
): void {
  for (const [key, row] of rights) {
    if (orders.users.includes(users.get(row.user) ?? '')) rights.delete(key);
  }
  for (const { user, volume, rights: what } of orders.rights) {
    if (volumes.has(volume)) rows.allow(rows.userNamed(user), volume, what);
  }
  for (const { volume, limit } of orders.limits) {
    if (volumes.has(volume)) rows.limit(volume, limit);
  }
  for (const { row, userName } of orders.open) {
    if (volumes.has(row.volume) && !invitations.has(row.id)) {
      rows.invite({ ...row, user: rows.userNamed(userName) });
    }
  }
  for (const { id, fingerprint } of devices.values()) {
    if (orders.revoked.includes(fingerprint)) rows.revoke(id);
  }
}
