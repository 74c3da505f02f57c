/**
 * Rows of the MetaStore in memory that have no versions: volumes and who made their commits, users and what they may do, and what
 * devices leave behind.
 */
import { USUAL_SETS, type RightSet } from '../../../../shared/model/access-list.ts';
import type { DeviceId, Rights } from '../../../../shared/model/change.ts';
import {
  onceInvited,
  type AccessAnswer,
  type AccessQuestion,
  type Asker,
} from '../../../../shared/model/decide-access.ts';
import { freeDeviceName } from '../../../../shared/model/device-name.ts';
import { compareFids, type VolumeId } from '../../../../shared/model/fid.ts';
import type { Moment } from '../../../../shared/model/history.ts';
import { compareNames } from '../../../../shared/model/names.ts';
import type {
  Access,
  DeviceAccess,
  DirtyMark,
  EpochCut,
  LeaseRow,
  NamedDevice,
  RowWrite,
  StoredDevice,
  StoredInvitation,
  StoredResult,
  StoredState,
  StoredVolume,
  StoredVolumes,
  VnodeBlock,
} from '../../../../shared/model/stored.ts';
import { epochStart, LOST_UNIQUIFIERS } from '../../../../shared/model/epoch.ts';
import type { OrderedVnode } from '../../../../shared/model/sharing.ts';
import type { NamedSnapshot } from '../../../../shared/model/snapshots.ts';
import type { WallTime } from '../../../../shared/model/time.ts';
import { updateSeq, type UpdateSeq } from '../../../../shared/model/update.ts';
import {
  commitNumber,
  EMPTY_DIGEST,
  type CommitNumber,
  type Digest,
} from '../../../../shared/model/vnode.ts';
import { assert, present } from '../../../../shared/util/assert.ts';
import { giveOrders, ordersIn, type Orders } from './orders.ts';
import { accessIn, askTables, givenIn, pictureOf, rightsRow } from './access-tables.ts';
import type { GivenRights } from './decided-access.ts';
import {
  emptyTables,
  type InvitationRow,
  type LogLine,
  type Tables,
  type VolumeRow,
} from './plain-tables.ts';
import type { UndoLog } from './undo-log.ts';

export type PlainWrite = Exclude<RowWrite, { kind: 'vnode' | 'entry' }>;
type Write<K extends PlainWrite['kind']> = Extract<PlainWrite, { kind: K }>;

/** They are made for each other when the store is opened first. */
const FIRST_USER = 1;
export const HOME = 1 as VolumeId;

/** Reads and writes the rows of the MetaStore in memory that have no versions. */
export class PlainRows {
  readonly #tables: Tables;

  constructor(tables: Tables = emptyTables()) {
    this.#tables = tables;
  }

  clone(): PlainRows {
    return new PlainRows(structuredClone(this.#tables));
  }

  addVolume(id: VolumeId, name: string): void {
    this.#tables.volumes.set(id, { id, name, log: [], limit: null, used: 0 });
  }

  /** What an administrator says of a volume that is there. */
  changeVolume(
    id: VolumeId,
    change: Partial<Pick<VolumeRow, 'name' | 'isRemoved' | 'limit' | 'made'>>,
  ): void {
    const row = present(this.#tables.volumes.get(id), 'the volume is there');
    this.#tables.volumes.set(id, { ...row, ...change });
  }

  /** It was there in the part of the history that each ended epoch has lost. */
  cutAnew(volume: VolumeId, now: WallTime): void {
    const { cuts, volumes } = this.#tables;
    const [last, first] = [this.head(volume), epochStart(this.head(volume), now)];
    const lost = { lostFrom: 2, lostTo: 1 + LOST_UNIQUIFIERS };
    for (const epoch of new Set(cuts.map((cut) => cut.epoch))) {
      cuts.push({ epoch, volume, last, first, ...lost });
    }
    volumes.get(volume)?.log.push({ commit: first, device: 0, seq: updateSeq(0), when: now });
  }

  /** The number of the user of that name, who is made where there is none. */
  userNamed(name: string): number {
    const { users } = this.#tables;
    const known = [...users].find(([, other]) => other === name)?.[0];
    if (known !== undefined) return known;
    users.set(users.size + 1, name);
    return users.size;
  }

  /** `rights` null: none. */
  allow(user: number, volume: VolumeId, rights: Rights | null): void {
    const key = `${user} ${volume}`;
    if (rights === null) this.#tables.rights.delete(key);
    else this.#tables.rights.set(key, { user, volume, rights });
  }

  invite(row: InvitationRow): void {
    this.#tables.invitations.set(row.id, row);
  }

  revoke(device: DeviceId): void {
    const row = present(this.#tables.devices.get(device), 'the device is there');
    this.#tables.devices.set(device, { ...row, revoked: true });
  }

  orders(): Orders {
    return ordersIn(this.#tables);
  }

  /** Of users, volumes and devices that are known here. */
  orderAgain(orders: Orders): void {
    giveOrders(this, this.#tables, orders);
  }

  volumes(): StoredVolume[] {
    return [...this.#tables.volumes.values()].map(({ id, name, limit, used }) => {
      const given = [...this.#tables.blocks.values()].filter(({ volume }) => volume === id);
      const lost = this.#tables.cuts.filter(({ volume }) => volume === id);
      const lastUniquifier = Math.max(
        1,
        ...given.map(({ uniquifier }) => uniquifier),
        ...lost.map(({ lostTo }) => lostTo),
      );
      return { id, name, head: this.head(id), lastUniquifier, limit, used };
    });
  }

  allVolumes(): StoredVolumes {
    return { volumes: this.volumes(), cuts: this.cuts() };
  }

  /** Null: none. */
  limit(volume: VolumeId, limit: number | null): void {
    const row = present(this.#tables.volumes.get(volume), 'the volume is there');
    this.#tables.volumes.set(volume, { ...row, limit });
  }

  head(volume: VolumeId): CommitNumber {
    return this.#tables.volumes.get(volume)?.log.at(-1)?.commit ?? commitNumber(0);
  }

  /** Commits after `since`. */
  log(volume: VolumeId, since: CommitNumber, limit: number): readonly LogLine[] {
    const all = this.#tables.volumes.get(volume)?.log ?? [];
    let from = Math.min(since, all.length);
    while (from > 0 && (all[from - 1]?.commit ?? 0) > since) from--;
    return all.slice(from, from + limit);
  }

  cuts(): readonly EpochCut[] {
    return [...this.#tables.cuts];
  }

  /** See contract 5 of the MetaStore port. `epoch`: the one that ends. */
  beginEpoch(epoch: string, now: WallTime): void {
    const { cuts, devices, leases, volumes } = this.#tables;
    const ended = this.volumes().map(({ id, head, lastUniquifier }): EpochCut => {
      const first = epochStart(head, now);
      const lostTo = lastUniquifier + LOST_UNIQUIFIERS;
      return { epoch, volume: id, last: head, first, lostFrom: lastUniquifier + 1, lostTo };
    });
    for (const cut of ended) {
      volumes.get(cut.volume)?.log.push({
        commit: cut.first,
        device: 0,
        seq: updateSeq(0),
        when: now,
      });
      cuts.push(cut);
    }
    for (const [id, row] of devices) {
      devices.set(id, { ...row, incarnation: null });
      leases.set(`${id} `, { device: id, run: '' });
    }
    leases.set('0 ', { device: 0, run: '' });
  }

  dirty(): DirtyMark[] {
    const marks = [...this.#tables.dirty.values()];
    return marks.sort((a, b) => a.device - b.device || compareFids(a.fid, b.fid));
  }

  leases(): LeaseRow[] {
    const rows = [...this.#tables.leases.values()];
    return rows.sort((a, b) => a.device - b.device || compareNames(a.run, b.run));
  }

  sharing(): OrderedVnode[] {
    return [...this.#tables.sharing.values()].sort((a, b) => compareFids(a.fid, b.fid));
  }

  nextDevice(): DeviceId {
    return Math.max(0, ...this.#tables.devices.keys()) + 1;
  }

  /** Of each user with devices that are not revoked, the newest of these. */
  newestDevices(): StoredState['newestDevices'] {
    const newest = new Map<number, DeviceId>();
    for (const { id, user, revoked } of this.#tables.devices.values()) {
      if (!revoked) newest.set(user, Math.max(id, newest.get(user) ?? 0));
    }
    return [...newest].sort(([a], [b]) => a - b).map(([user, device]) => ({ user, device }));
  }

  /** The snapshots of a volume, the oldest first. */
  snapshots(volume: VolumeId): readonly NamedSnapshot[] {
    return this.#tables.snapshots.get(volume) ?? [];
  }

  addSnapshot(volume: VolumeId, snapshot: NamedSnapshot): void {
    this.#tables.snapshots.set(volume, [...this.snapshots(volume), snapshot]);
  }

  removeSnapshot(volume: VolumeId, name: string): void {
    const rest = this.snapshots(volume).filter((each) => each.name !== name);
    this.#tables.snapshots.set(volume, rest);
  }

  /** Who made a commit, and when. */
  momentOf(volume: VolumeId, commit: CommitNumber): Moment {
    const all = this.#tables.volumes.get(volume)?.log ?? [];
    const line = present(
      all.findLast((each) => each.commit === commit),
      'a row is of a commit',
      { volume, commit },
    );
    const { device, when } = line;
    return { commit, when, device, deviceName: this.#tables.devices.get(device)?.name ?? null };
  }

  /** Of one device, newest first. */
  ownLog(volume: VolumeId, device: DeviceId, before: CommitNumber | null): LogLine[] {
    const all = this.#tables.volumes.get(volume)?.log ?? [];
    const own = all.filter((line) => line.device === device && line.commit < (before ?? Infinity));
    return own.reverse();
  }

  isKept(digest: Digest | null): boolean {
    return digest === EMPTY_DIGEST || (digest !== null && this.#tables.contents.has(digest));
  }

  /** They are told as not kept from now on. */
  forgetContents(digests: readonly Digest[]): void {
    for (const digest of digests) this.#tables.contents.delete(digest);
  }

  contents(): string[] {
    return [...this.#tables.contents.keys()].sort(compareNames);
  }

  applied(device: DeviceId, seq: UpdateSeq): StoredResult | null {
    return this.#tables.applied.get(device)?.get(seq) ?? null;
  }

  block(volume: VolumeId, uniquifier: number): VnodeBlock | null {
    return this.#tables.blocks.get(`${volume} ${uniquifier}`) ?? null;
  }

  blocksOf(volume: VolumeId, device: DeviceId): VnodeBlock[] {
    const blocks = [...this.#tables.blocks.values()];
    return blocks.filter((block) => block.volume === volume && block.device === device);
  }

  device(fingerprint: string): StoredDevice | null {
    const { devices, users, applied } = this.#tables;
    const row = [...devices.values()].find((each) => each.fingerprint === fingerprint);
    if (row === undefined) return null;
    const seqs = applied.get(row.id)?.keys() ?? [];
    const { id, name, user, revoked, incarnation, lowWater } = row;
    return {
      ...{ id, fingerprint, name, user, revoked, incarnation, lowWater },
      userName: users.get(row.user) ?? '',
      highest: Math.max(row.lowWater - 1, 0, ...seqs) as UpdateSeq,
      access: this.#accessOf(row.user),
      ...(row.user === FIRST_USER ? { home: HOME } : {}),
    };
  }

  /** Of a user, those that are not revoked. */
  deviceNames(user: number): NamedDevice[] {
    const own = [...this.#tables.devices.values()].filter((row) => row.user === user);
    return own
      .filter(({ revoked }) => !revoked)
      .map(({ id, name, since }) => ({ id, name, since }))
      .sort((a, b) => a.id - b.id);
  }

  /** As an administrator does it. */
  rename(id: DeviceId, name: string): void {
    const row = present(this.#tables.devices.get(id), 'the device is there');
    this.#tables.devices.set(id, { ...row, name });
  }

  invitation(id: string): StoredInvitation | null {
    const { invitations, users, volumes } = this.#tables;
    const row = invitations.get(id);
    if (row === undefined) return null;
    const { name: volumeName = '', isRemoved = false } = volumes.get(row.volume) ?? {};
    const userName = users.get(row.user) ?? '';
    const own = {
      access: this.#accessOf(row.user),
      becomes: onceInvited(pictureOf(this.#tables), row),
      deviceNames: this.deviceNames(row.user),
    };
    return { ...row, userName, volumeName, ...own, ...(isRemoved ? { isRemoved } : {}) };
  }

  askAccess(question: AccessQuestion, asker: Asker): AccessAnswer {
    return askTables(this.#tables, question, asker);
  }

  /** What each person may do, as lists and teams have it. */
  given(): GivenRights[] {
    return givenIn(this.#tables);
  }

  /** A row of a list as an administrator sets it. */
  give(user: number, volume: VolumeId, set: RightSet): void {
    this.#tables.rights.set(`${user} ${volume}`, rightsRow(user, volume, set));
  }

  accessOfDevice(device: DeviceId): DeviceAccess | null {
    const row = this.#tables.devices.get(device);
    if (row === undefined) return null;
    const { name, revoked, user } = row;
    return { device, name, revoked, access: this.#accessOf(user) };
  }

  write(write: PlainWrite, undo: UndoLog): void {
    const { dirty, leases, sharing, blocks, contents } = this.#tables;
    switch (write.kind) {
      case 'log':
        return this.#writeLog(write, undo);
      case 'applied':
        return this.#writeApplied(write, undo);
      case 'low-water':
        return this.#writeLowWater(write, undo);
      case 'device':
        return this.#writeDevice(write, undo);
      case 'device-name': {
        const row = present(this.#tables.devices.get(write.id), 'a name is that of a device');
        const name = this.#freeName({ ...write, user: row.user });
        return undo.put(this.#tables.devices, write.id, { ...row, name });
      }
      case 'redeemed':
        return this.#writeRedeemed(write, undo);
      case 'dirty': {
        const { fid, device, seq } = write;
        return undo.put(dirty, `${device} ${fid}`, { fid, device, seq });
      }
      case 'clean':
        return undo.drop(dirty, `${write.device} ${write.fid}`);
      case 'lease': {
        const { device, run } = write;
        return undo.put(leases, `${device} ${run}`, { device, run });
      }
      case 'no-lease':
        return undo.drop(leases, `${write.device} ${write.run}`);
      case 'sharing': {
        const { fid, order } = write;
        if (order === null) return undo.drop(sharing, fid);
        return undo.put(sharing, fid, { fid, order });
      }
      case 'block': {
        const { volume, first, count, uniquifier, device } = write;
        const row = { volume, first, count, uniquifier, device };
        return undo.put(blocks, `${volume} ${uniquifier}`, row);
      }
      case 'content':
        return undo.put(contents, write.digest, write.size);
      case 'used':
        return this.#writeUsed(write, undo);
    }
  }

  #writeLog({ volume, commit, kind: _kind, ...rest }: Write<'log'>, undo: UndoLog): void {
    const row = present(this.#tables.volumes.get(volume), 'the volume is there');
    assert(commit === this.head(volume) + 1, 'commits of a volume have no gaps', {
      volume,
      commit,
    });
    row.log.push({ commit, ...rest });
    undo.add(() => row.log.pop());
  }

  #writeUsed({ volume, used, previous }: Write<'used'>, undo: UndoLog): void {
    const { volumes } = this.#tables;
    const row = present(volumes.get(volume), 'the volume is there');
    assert(row.used === previous, 'what a volume uses changes from what it was', {
      volume,
      previous,
    });
    undo.put(volumes, volume, { ...row, used });
  }

  #writeApplied({ device, result, name = null }: Write<'applied'>, undo: UndoLog): void {
    const { applied } = this.#tables;
    const results = applied.get(device) ?? new Map<UpdateSeq, StoredResult>();
    if (results.size === 0) undo.put(applied, device, results);
    assert(!results.has(result.seq), 'an update has one result', { device, seq: result.seq });
    undo.put(results, result.seq, { result, name });
  }

  #writeLowWater({ device, lowWater }: Write<'low-water'>, undo: UndoLog): void {
    const row = present(this.#tables.devices.get(device), 'a low water is that of a device');
    undo.put(this.#tables.devices, device, { ...row, lowWater });
    const results = this.#tables.applied.get(device) ?? new Map<UpdateSeq, StoredResult>();
    for (const seq of [...results.keys()]) if (seq < lowWater) undo.drop(results, seq);
  }

  /** An administrator may have revoked or renamed the device meanwhile; that stays. */
  #writeDevice(write: Write<'device'>, undo: UndoLog): void {
    const { id, fingerprint, user, incarnation, when: since } = write;
    const name = this.#freeName(write);
    const first = { id, fingerprint, name, user, since, revoked: false, lowWater: 0 as UpdateSeq };
    const row = this.#tables.devices.get(id) ?? first;
    undo.put(this.#tables.devices, id, { ...row, incarnation });
  }

  /** No two devices of a user are called the same, whatever an administrator did meanwhile. */
  #freeName({ id, user, name }: Pick<Write<'device'>, 'id' | 'user' | 'name'>): string {
    const others = this.deviceNames(user).filter((each) => each.id !== id);
    return freeDeviceName(
      name,
      others.map((each) => each.name),
    );
  }

  /** Rights are only ever added by an invitation, never taken. */
  #writeRedeemed(write: Write<'redeemed'>, undo: UndoLog): void {
    const { id, fingerprint, user, volume } = write;
    const { invitations, rights } = this.#tables;
    const row = present(invitations.get(id), 'the invitation is there');
    undo.put(invitations, id, { ...row, redeemedBy: fingerprint });
    const key = `${user} ${volume}`;
    const before = rights.get(key);
    const had = before === undefined ? 0 : (before.set ?? USUAL_SETS[before.rights]);
    undo.put(rights, key, rightsRow(user, volume, had | USUAL_SETS[write.rights]));
  }

  #accessOf(user: number): Access[] {
    return accessIn(this.#tables, user);
  }
}
