/** What administrators have said to a simulated server, to be said again to one that was put back and does not know it. */
import { USUAL_SETS, type Principal, type RightSet } from '../../../../shared/model/access-list.ts';
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { InvitationRow, Tables } from './plain-tables.ts';

/** In words that mean the same after a restore. */
export interface Orders {
  readonly users: readonly string[];
  readonly rights: ReadonlyArray<{ user: string; volume: VolumeId; set: RightSet }>;
  /** Other rows of access lists, and teams; people by their names. */
  readonly lists: Tables['lists'];
  readonly names: ReadonlyMap<number, string>;
  readonly limits: ReadonlyArray<{ volume: VolumeId; limit: number | null }>;
  /** Volumes that people made, each with its maker. */
  readonly made: readonly MadeVolume[];
  /** Fingerprints of devices. */
  readonly revoked: readonly string[];
  /** Unused invitations, each with the name of its user. */
  readonly open: ReadonlyArray<{ readonly row: InvitationRow; readonly userName: string }>;
}

export interface MadeVolume {
  readonly volume: VolumeId;
  readonly name: string;
  readonly maker: string;
  readonly nonce: string;
}

/** Who carries them out. */
interface Administered {
  userNamed(name: string): number;
  give(user: number, volume: VolumeId, set: RightSet): void;
  limit(volume: VolumeId, limit: number | null): void;
  invite(row: InvitationRow): void;
  revoke(device: DeviceId): void;
}

/**
 * Collects what administrators have set: users, rights, quotas, revocations, and unused
 * invitations.
 */
export function ordersIn(tables: Tables): Orders {
  const { users, rights, lists, volumes, devices, invitations } = tables;
  const unused = [...invitations.values()].filter(({ redeemedBy }) => redeemedBy === null);
  return {
    users: [...users.values()],
    rights: [...rights.values()].map(({ user, volume, rights: told, set }) => {
      return { user: users.get(user) ?? '', volume, set: set ?? USUAL_SETS[told] };
    }),
    lists: structuredClone(lists),
    names: new Map(users),
    limits: [...volumes.values()].map(({ id, limit }) => ({ volume: id, limit })),
    made: [...volumes.values()].flatMap(({ id: volume, name, made }) =>
      made === undefined
        ? []
        : [{ volume, name, maker: users.get(made.by) ?? '', nonce: made.nonce }],
    ),
    revoked: [...devices.values()].filter((row) => row.revoked).map((row) => row.fingerprint),
    open: unused.map((row) => ({ row, userName: users.get(row.user) ?? '' })),
  };
}

/** Of users, volumes and devices that are known there. */
export function giveOrders(rows: Administered, tables: Tables, orders: Orders): void {
  const { users, rights, volumes, devices, invitations } = tables;
  for (const [key, row] of rights) {
    if (orders.users.includes(users.get(row.user) ?? '')) rights.delete(key);
  }
  for (const { user, volume, set } of orders.rights) {
    if (volumes.has(volume)) rows.give(rows.userNamed(user), volume, set);
  }
  giveLists(rows, tables, orders);
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

/** The numbers of people may be others than they were. */
function giveLists(rows: Administered, { lists, volumes }: Tables, orders: Orders): void {
  const known = (principal: Principal): Principal =>
    principal.kind === 'team'
      ? principal
      : { kind: 'person', id: rows.userNamed(orders.names.get(principal.id) ?? '') };
  const { entries, teams, lastTeam } = orders.lists;
  const there = entries.filter(({ volume }) => volumes.has(volume));
  const rowsThere = there.map((row) => ({ ...row, principal: known(row.principal) }));
  lists.entries.splice(0, lists.entries.length, ...rowsThere);
  const theirs = teams.map((team) => ({ ...team, members: team.members.map(known) }));
  lists.teams.splice(0, lists.teams.length, ...theirs);
  lists.lastTeam = lastTeam;
}
