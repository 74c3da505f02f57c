/**
 * Checker: nothing is applied or served without right (promise 6).
 *
 * The server goes by what its database has told it last: with any row of a device, and whenever it looks whether an administrator changed something. By that
 * - it commits an update only for a device whose user may do just that in that volume: make names, remove them, or change what is there;
 * - a device that is revoked is sent nothing but refusals, by that process never again: what it hears later may have been read before;
 * - a laptop never gets to know anything of a volume that its user was never let into: no row of its database names one (status, directory, entry,
 *   contents, update).
 *
 * A server that was put back gives numbers of devices again: earlier rows about them do not count any more, and each Hello brings them anew.
 *
 * Allowed: when a right is lost, the transaction that is being written and the one that is being gathered may hold what was decided before. What a
 * laptop got while it had the right stays on it.
 */
import {
  has,
  rightsText,
  USUAL_SETS,
  type AccessRight,
  type RightSet,
} from '../../../../shared/model/access-list.ts';
import type { DeviceId } from '../../../../shared/model/change.ts';
import { volumeOf, type VolumeId } from '../../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import type { Access, RowWrite } from '../../../../shared/model/stored.ts';
import type { Fingerprint } from '../../../../shared/ports/transport.ts';
import type { RowChange } from '../../../../shared/ports/client-store.ts';
import { SERVER_HOST } from '../cluster/server-node.ts';
import type { Laptop } from './laptop.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { ClientUpdates } from './client-updates.ts';
import { Ledgers } from './ledgers.ts';
import type { Observation } from './observation.ts';

export const rights: CheckerKind = {
  name: 'nothing is applied or served without right',
  make: (report, ledgers = new Ledgers()) => new RightsKept(report, ledgers),
};

/** Transactions after the news that may still hold what was decided before it. */
const DECIDED_BEFORE = 2;

interface Device {
  revoked: boolean;
  readonly may: Map<VolumeId, RightSet>;
  /** Every volume to which it ever had access. */
  readonly ever: Set<VolumeId>;
  /** Rows of other volumes that came before the first row about a new device: its user may have had access before. */
  early: Array<{ readonly volume: VolumeId; readonly found: string }> | null;
  /** The last transaction that may hold what a right it has lost allowed. */
  lostUntil: number;
}

class RightsKept implements Checker {
  readonly #report: Report;
  readonly #updates: ClientUpdates;
  readonly #devices = new Map<DeviceId, Device>();
  readonly #byFingerprint = new Map<Fingerprint, DeviceId>();
  /** What invitations have given to users; a new device of one begins with it. */
  readonly #users = new Map<number, Map<VolumeId, RightSet>>();
  readonly #userOf = new Map<DeviceId, number>();
  /** Every volume to which any device of a user ever had access, through an administrator too: a new device of that user may see it at once. */
  readonly #everOf = new Map<number, Set<VolumeId>>();
  /** Devices that the present process knows to be revoked. */
  readonly #revoked = new Set<DeviceId>();
  #transactions = 0;

  constructor(report: Report, { updates }: Ledgers) {
    this.#report = report;
    this.#updates = updates;
  }

  hear(observation: Observation): void {
    this.#updates.hear(observation);
    switch (observation.kind) {
      case 'access':
        for (const { device, revoked, access, fingerprint } of observation.devices) {
          if (fingerprint !== undefined) this.#byFingerprint.set(fingerprint, device);
          if (revoked) this.#revoked.add(device);
          this.#told(device, this.#revoked.has(device), access);
        }
        return;
      case 'started':
        if (observation.who === SERVER_HOST) this.#revoked.clear();
        return;
      case 'restored':
        return this.#restored();
      case 'committed':
        return this.#committed(observation.writes);
      case 'sent': {
        const id = this.#byFingerprint.get(observation.peer);
        if (id === undefined || !this.#of(id).revoked) return;
        return this.#report(`device ${id} is revoked, and the server sends it something`);
      }
      case 'saved':
        return this.#saved(observation.client, observation.changes);
      default:
        return;
    }
  }

  atRest(): Promise<void> {
    for (const device of this.#devices.values()) this.#judgeEarly(device);
    return Promise.resolve();
  }

  #restored(): void {
    this.#byFingerprint.clear();
    this.#userOf.clear();
    for (const device of this.#devices.values()) {
      device.revoked = false;
      device.may.clear();
    }
  }

  #told(
    id: DeviceId,
    revoked: boolean,
    access: ReadonlyArray<Pick<Access, 'volume' | 'rights' | 'may'>>,
  ): void {
    const device = this.#of(id);
    const may = new Map(
      revoked
        ? []
        : access.map(({ volume, rights: told, may: set }) => [volume, set ?? USUAL_SETS[told]]),
    );
    const lost = [...device.may].some(([volume, set]) => (set & ~(may.get(volume) ?? 0)) !== 0);
    if (lost) device.lostUntil = this.#transactions + DECIDED_BEFORE;
    device.revoked = revoked;
    device.may.clear();
    for (const [volume, what] of may) this.#let(device, volume, what);
    this.#judgeEarly(device);
    const user = this.#userOf.get(id);
    if (user === undefined) return;
    for (const volume of may.keys()) this.#everOfUser(user).add(volume);
  }

  /** Judges the early rows of a device, when its first row has come or none will come. */
  #judgeEarly(device: Device): void {
    for (const { volume, found } of device.early ?? []) {
      if (!device.ever.has(volume)) this.#report(found);
    }
    device.early = null;
  }

  #everOfUser(user: number): Set<VolumeId> {
    const ever = this.#everOf.get(user) ?? new Set<VolumeId>();
    this.#everOf.set(user, ever);
    return ever;
  }

  #let(device: Device, volume: VolumeId, set: RightSet): void {
    device.may.set(volume, (device.may.get(volume) ?? 0) | set);
    device.ever.add(volume);
  }

  #committed(writes: readonly RowWrite[]): void {
    this.#transactions += 1;
    for (const write of writes) {
      if (write.kind === 'device') this.#byFingerprint.set(write.fingerprint, write.id);
    }
    for (const write of writes) {
      if (write.kind === 'redeemed') this.#redeemed(write);
      if (write.kind !== 'log') continue;
      const { device: id, volume, commit } = write;
      const device = this.#of(id);
      if (this.#transactions <= device.lostUntil) continue;
      const set = device.may.get(volume) ?? 0;
      if (neededBy(writes, volume, commit).every((right) => has(set, right))) continue;
      this.#report(
        `commit ${commit} of volume ${volume} is of device ${id}, which may ${set === 0 ? 'do nothing' : rightsText(set)} there`,
      );
    }
  }

  #redeemed(write: Extract<RowWrite, { kind: 'redeemed' }>): void {
    const { user, volume, rights: what, fingerprint } = write;
    const may = this.#users.get(user) ?? new Map<VolumeId, RightSet>();
    may.set(volume, (may.get(volume) ?? 0) | USUAL_SETS[what]);
    this.#users.set(user, may);
    const id = this.#byFingerprint.get(fingerprint);
    if (id === undefined) return;
    this.#userOf.set(id, user);
    for (const [each, right] of may) this.#let(this.#of(id), each, right);
    for (const each of this.#everOfUser(user)) this.#of(id).ever.add(each);
  }

  #saved(client: Laptop, changes: readonly RowChange[]): void {
    const id = this.#updates.device(client);
    if (id === null) return;
    const { ever, early } = this.#of(id);
    for (const change of changes) {
      const volume = volumeIn(change);
      if (volume === null || ever.has(volume)) continue;
      const found = `${client.name} has a row of volume ${volume}: ${change.table} ${change.key}`;
      if (early === null) return this.#report(found);
      early.push({ volume, found });
    }
  }

  #of(id: DeviceId): Device {
    const known = this.#devices.get(id);
    if (known !== undefined) return known;
    const [may, ever] = [new Map<VolumeId, RightSet>(), new Set<VolumeId>()];
    const made: Device = { revoked: false, may, ever, early: [], lostUntil: 0 };
    this.#devices.set(id, made);
    return made;
  }
}

/** What a commit takes, by the names that it sets and frees. */
function neededBy(
  writes: readonly RowWrite[],
  volume: VolumeId,
  commit: CommitNumber,
): AccessRight[] {
  const set = writes.filter(
    (write) => write.kind === 'entry' && write.commit === commit && volumeOf(write.dir) === volume,
  ) as Array<Extract<RowWrite, { kind: 'entry' }>>;
  if (set.length === 0) return ['write'];
  const some = (right: AccessRight, isFreed: boolean): AccessRight[] =>
    set.some(({ fid }) => (fid === null) === isFreed) ? [right] : [];
  return [...some('insert', false), ...some('delete', true)];
}

/** The volume that a row is about; null: none. Keys are a fid, or begin with one. */
function volumeIn(change: RowChange): VolumeId | null {
  if (change.value === undefined) return null;
  switch (change.table) {
    case 'status':
    case 'directory':
    case 'entry':
      return Number(change.key.slice(0, change.key.indexOf('.'))) as VolumeId;
    case 'content':
    case 'update': {
      const fid = change.table === 'content' ? change.value.fid : change.value.update.fid;
      return Number(fid.slice(0, fid.indexOf('.'))) as VolumeId;
    }
    case 'volume':
      return Number(change.key) as VolumeId;
    default:
      return null;
  }
}
