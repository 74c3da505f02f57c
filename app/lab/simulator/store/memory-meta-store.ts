/**
 * The MetaStore port in memory. It outlives the runtimes that use it, as a database outlives a process.
 *
 * `defer` may let an answer come later, in any order; what is read or written is so when the method is called, or, where `late` runs a moment before
 * the answer. That is all that a slow database can do within the contract, and what the overlay of the core is there for. What a process that has
 * ended left undone is never done once another has opened the store.
 */
import { USUAL_SETS } from '../../../../shared/model/access-list.ts';
import type {
  AccessAnswer,
  AccessQuestion,
  Asker,
} from '../../../../shared/model/decide-access.ts';
import type { DeviceId, Rights } from '../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import { hashOfSecret } from '../../../../shared/model/invitation.ts';
import type {
  AnyRow,
  DeviceAccess,
  EpochCut,
  FirstState,
  KeyOf,
  RowKey,
  RowOf,
  RowWrite,
  StoredState,
  StoredVolumes,
} from '../../../../shared/model/stored.ts';
import type { CommitNumber, Digest, VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { RetentionPolicy } from '../../../../shared/model/retention.ts';
import type { NamedSnapshot } from '../../../../shared/model/snapshots.ts';
import type { WallTime } from '../../../../shared/model/time.ts';
import type { UpdateNonce, UpdateSeq } from '../../../../shared/model/update.ts';
import type { MetaStore } from '../../../../shared/ports/meta-store.ts';
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import { present } from '../../../../shared/util/assert.ts';
import type { Later } from '../clock/later.ts';
import { Troubles } from '../disk/troubles.ts';
import {
  addVolume,
  makeAgain,
  makeShared,
  writeRow,
  type Contents,
  type MadeWrite,
} from './add-volume.ts';
import { assertLogged } from './assert-logged.ts';
import type { DecidedAccess } from './decided-access.ts';
import { ownCommits, pastNames, pastVersions } from './past-rows.ts';
import type { MadeVolume, Orders } from './orders.ts';
import { HOME, PlainRows } from './plain-rows.ts';
import { pagesOfNamed } from './named-contents.ts';
import { UndoLog } from './undo-log.ts';
import { VersionedRows } from './versioned-rows.ts';

export interface MemoryMetaStoreOptions {
  /** Called with what delivers an answer, now or later. */
  readonly defer?: Later;
  /** Asked at each call: whether it is done only when it is answered. */
  readonly late?: () => boolean;
  /** Called with what is durable, even if its process has ended. */
  readonly committed?: (writes: readonly RowWrite[]) => void;
  /** Called with each answer about access in the moment in which it is decided. */
  readonly decided?: (about: DecidedAccess) => void;
}

/** Implements the MetaStore port in memory, with what administrators do to it. */
export class MemoryMetaStore implements MetaStore {
  /** Asked with the method before anything is done: an error makes it fail with nothing changed. */
  readonly troubles = new Troubles<[keyof MetaStore], Error>();
  readonly #defer: Later;
  readonly #late: () => boolean;
  readonly #committed: (writes: readonly RowWrite[]) => void;
  readonly #decided: (about: DecidedAccess) => void;
  #volumes = 1;
  /** Null: empty. */
  #contents: Contents | null;
  #changed = false;
  /** The process that opened it last. */
  #life = 0;
  #failure: ErrorCode | null = null;
  /** Transactions so far: what group commit is there to keep low. */
  commits = 0;

  constructor(options: MemoryMetaStoreOptions = {}, contents: Contents | null = null) {
    this.#defer = options.defer ?? ((deliver) => deliver());
    this.#late = options.late ?? (() => false);
    this.#committed = options.committed ?? (() => undefined);
    this.#decided = options.decided ?? (() => undefined);
    this.#contents = contents;
  }

  /** The store as it is now, for a server that is restored from a backup. */
  clone(options: MemoryMetaStoreOptions = {}): MemoryMetaStore {
    const { epoch, versioned, plain } = this.#here();
    return new MemoryMetaStore(options, {
      epoch,
      versioned: versioned.clone(),
      plain: plain.clone(),
    });
  }

  /** How many volumes there are when it is opened first: the home of the first user, and others that only invitations lead to. */
  beginWith(volumes: number): void {
    this.#volumes = volumes;
  }

  /** Everything is as it was in that one. */
  putBack(backup: MemoryMetaStore): void {
    this.#contents = backup.clone().#contents;
    this.#changed = true;
  }

  /** The store was put back from a backup. */
  beginEpoch(
    epoch: string,
    now: WallTime,
  ): ReadonlyArray<Pick<EpochCut, 'epoch' | 'volume' | 'last' | 'first'>> {
    const contents = this.#here();
    const ended = contents.epoch;
    contents.plain.beginEpoch(ended, now);
    contents.epoch = epoch;
    return contents.plain.cuts().filter((cut) => cut.epoch === ended);
  }

  /** Volumes that people had made are there again, empty, where the backup does not know them. Where each begins. */
  makeLost(
    made: readonly MadeVolume[],
    now: WallTime,
  ): ReadonlyArray<Pick<EpochCut, 'volume' | 'last' | 'first'>> {
    const contents = this.#here();
    const known = new Set(contents.plain.volumes().map(({ id }) => id));
    return made
      .filter(({ volume }) => !known.has(volume))
      .map((lost) => ({ volume: lost.volume, ...makeAgain(contents, lost, now) }));
  }

  // What an administrator does.

  /** The user is made where there is none of that name. */
  invite(invitation: {
    id: string;
    secret: string;
    user: string;
    volume?: VolumeId;
    rights: Rights;
    expires: WallTime;
  }): void {
    const { id, secret, rights, expires, volume = HOME } = invitation;
    const { plain } = this.#here();
    const user = plain.userNamed(invitation.user);
    const secretHash = hashOfSecret(secret);
    plain.invite({ id, secretHash, user, volume, rights, expires, redeemedBy: null });
    this.#changed = true;
  }

  /** The incarnation of a device; undefined: it is not known. */
  incarnationOf(fingerprint: string): string | null | undefined {
    return this.#here().plain.device(fingerprint)?.incarnation;
  }

  /** By this number the server knows it now: another one than before, where it was put back. Null: not at all. */
  deviceOf(fingerprint: string): DeviceId | null {
    return this.#here().plain.device(fingerprint)?.id ?? null;
  }

  isRevoked(fingerprint: string): boolean {
    return this.#here().plain.device(fingerprint)?.revoked === true;
  }

  /** Whether the device's update of this number was applied under another name: who has it queued is taken for a copy. */
  wasAnothers(fingerprint: string, seq: UpdateSeq, name: UpdateNonce | null): boolean {
    const { plain } = this.#here();
    const device = plain.device(fingerprint);
    if (device === null) return false;
    const applied = plain.applied(device.id, seq);
    return applied === null ? seq < device.lowWater : applied.name !== name;
  }

  revoke(device: DeviceId): void {
    this.#here().plain.revoke(device);
    this.#changed = true;
  }

  nameOf(device: DeviceId): string | undefined {
    return this.#here().plain.accessOfDevice(device)?.name;
  }

  /** As an administrator does it. */
  rename(device: DeviceId, name: string): void {
    this.#here().plain.rename(device, name);
    this.#changed = true;
  }

  /** `rights` null: none. */
  allow(userName: string, volume: VolumeId, rights: Rights | null): void {
    const { plain } = this.#here();
    plain.allow(plain.userNamed(userName), volume, rights);
    this.#changed = true;
  }

  /** Who runs the server changes a list or a team, and means it. */
  changeAccess(question: AccessQuestion): void {
    this.#here().plain.askAccess(question, { person: null, isMeant: true });
    this.#changed = true;
  }

  /** `lost`: under the number that a volume had in the part of the history that was lost after a backup. */
  makeVolume(volume: VolumeId, name: string, when: WallTime, lost = false): void {
    addVolume(this.#here(), { volume, name, when });
    if (lost) this.#here().plain.cutAnew(volume, when);
    this.#changed = true;
  }

  changeVolume(volume: VolumeId, change: { name?: string; isRemoved?: boolean }): void {
    this.#here().plain.changeVolume(volume, change);
    this.#changed = true;
  }

  /** A snapshot of the newest commit. */
  makeSnapshot(volume: VolumeId, name: string, made: WallTime): NamedSnapshot {
    const { plain, epoch } = this.#here();
    const snapshot = { name, at: plain.head(volume), epoch, made };
    plain.addSnapshot(volume, snapshot);
    return snapshot;
  }

  removeSnapshot(volume: VolumeId, name: string): void {
    this.#here().plain.removeSnapshot(volume, name);
  }

  snapshotsOf(volume: VolumeId): readonly NamedSnapshot[] {
    return this.#here().plain.snapshots(volume);
  }

  /** The commits that snapshots of a volume show. */
  snapshotNumbers(volume: VolumeId): readonly CommitNumber[] {
    return this.snapshotsOf(volume).map(({ at }) => at);
  }

  /** Contents that a version names which is kept, in parts: what collection asks (rules D4, H2). */
  pagesOfNamed(now: WallTime, policy: RetentionPolicy): Generator<Digest[], void, undefined> {
    return pagesOfNamed(this.#here(), { now, policy, shown: (id) => this.snapshotNumbers(id) });
  }

  /** Collection is about to remove them. */
  forgetContents(digests: readonly Digest[]): void {
    this.#here().plain.forgetContents(digests);
  }

  /** The quota of a volume in bytes; null: none. */
  limit(volume: VolumeId, bytes: number | null): void {
    this.#here().plain.limit(volume, bytes);
    this.#changed = true;
  }

  /** What administrators have said so far: they say it again to a server that is put back. */
  orders(): Orders {
    return this.#here().plain.orders();
  }

  orderAgain(orders: Orders): void {
    this.#here().plain.orderAgain(orders);
    this.#changed = true;
  }

  /** What its files have together, as it was counted. */
  usedBy(volume: VolumeId): number {
    return this.#here()
      .plain.volumes()
      .reduce((all, { id, used }) => (id === volume ? used : all), 0);
  }

  /** The next commit is refused, and changes nothing. */
  failNextCommit(code: ErrorCode): void {
    this.#failure = code;
  }

  /** Digests that vnodes name or named, in order. */
  contents(): string[] {
    return this.#here().plain.contents();
  }

  // The port.

  open(first: FirstState): Promise<StoredState> {
    this.#life += 1;
    return this.#answer('open', () => {
      this.#contents ??= firstContents(first, this.#volumes);
      this.#changed = false;
      const { epoch, plain } = this.#contents;
      return {
        epoch,
        ...plain.allVolumes(),
        dirty: plain.dirty(),
        leases: plain.leases(),
        sharing: plain.sharing(),
        nextDevice: plain.nextDevice(),
        newestDevices: plain.newestDevices(),
      };
    });
  }

  load(keys: readonly RowKey[]): Promise<readonly AnyRow[]> {
    return this.#answer('load', () => keys.map((key) => readRow(this.#here(), key)));
  }

  commit(writes: readonly RowWrite[]): Promise<void> {
    return this.#answer('commit', () => {
      if (this.#failure !== null) {
        const code = this.#failure;
        this.#failure = null;
        throw new GodwitError(code);
      }
      assertLogged(writes);
      const undo = new UndoLog();
      try {
        for (const write of writes) writeRow(this.#here(), write, undo);
      } catch (error) {
        undo.takeBack();
        throw error;
      }
      this.commits++;
      this.#committed(writes);
    });
  }

  changedOutside(): Promise<boolean> {
    return this.#answer('changedOutside', () => {
      const changed = this.#changed;
      this.#changed = false;
      return changed;
    });
  }

  accessOf(devices: readonly DeviceId[]): Promise<readonly DeviceAccess[]> {
    return this.#answer('accessOf', () =>
      devices
        .map((device) => this.#here().plain.accessOfDevice(device))
        .filter((access) => access !== null),
    );
  }

  volumes(): Promise<StoredVolumes> {
    return this.#answer('volumes', () => this.#here().plain.allVolumes());
  }

  askAccess(question: AccessQuestion, asker: Asker): Promise<AccessAnswer> {
    return this.#answer('askAccess', () => {
      const { plain } = this.#here();
      const before = plain.given();
      const decided = plain.askAccess(question, asker);
      const made =
        decided.answer === 'done'
          ? decided.writes.find((write): write is MadeWrite => write.what === 'volume')
          : undefined;
      const answer = made === undefined ? decided : makeShared(this.#here(), made);
      this.#decided({ question, person: asker.person, answer, before, after: plain.given() });
      return answer;
    });
  }

  close(): Promise<void> {
    return this.#answer('close', () => undefined);
  }

  #here(): Contents {
    return present(this.#contents, 'the store was opened');
  }

  #answer<T>(method: keyof MetaStore, run: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const life = this.#life;
    const syncs = method === 'commit' || method === 'askAccess';
    const work = (): (() => void) => {
      try {
        const trouble = this.troubles.first(method);
        if (trouble !== null) throw trouble;
        const value = run();
        return () => resolve(value);
      } catch (error) {
        return () => reject(error);
      }
    };
    if (this.#late()) {
      this.#defer(() => {
        if (life === this.#life) work()();
      }, syncs);
    } else this.#defer(work(), syncs);
    return promise;
  }
}

function firstContents(first: FirstState, volumes: number): Contents {
  const { epoch, volumeName, userName } = first;
  const contents = { epoch, versioned: new VersionedRows(), plain: new PlainRows() };
  const { plain } = contents;
  for (let number = 1; number <= volumes; number++) {
    const volume = number as VolumeId;
    const name = volume === HOME ? volumeName : `${volumeName} ${number}`;
    addVolume(contents, { volume, name, when: first.when });
  }
  plain.give(plain.userNamed(userName), HOME, USUAL_SETS.admin);
  return contents;
}

function readRow({ versioned, plain }: Contents, key: RowKey): AnyRow {
  switch (key.kind) {
    case 'vnode':
      return versioned.vnode(key.fid);
    case 'entry':
      return versioned.entry(key.dir, key.name);
    case 'ancestors':
      return versioned.ancestors(key.fid);
    case 'height':
      return versioned.height(key.fid);
    case 'applied':
      return plain.applied(key.device, key.seq);
    case 'block':
      return plain.block(key.volume, key.uniquifier);
    case 'unused-blocks': {
      const { volume, device, limit } = key;
      const unused = plain
        .blocksOf(volume, device)
        .filter((block) => !versioned.hasAnyOf(block))
        .map(({ uniquifier }) => uniquifier);
      return unused.sort((a, b) => a - b).slice(0, limit);
    }
    case 'volumes':
      return plain.allVolumes();
    case 'device':
      return plain.device(key.fingerprint);
    case 'device-names':
      return plain.deviceNames(key.user);
    case 'invitation':
      return plain.invitation(key.id);
    case 'version':
      return keptOnly({ plain }, versioned.version(key.fid, key.version));
    case 'directory':
      return versioned.directory(key.fid, key.at, key.after, key.limit);
    case 'changes':
      return feedPage({ versioned, plain }, key);
    case 'snapshot':
      return versioned.snapshot(key.volume, key.at, key.after, key.limit);
    case 'past-versions':
      return pastVersions({ versioned, plain }, key);
    case 'past-names':
      return pastNames({ versioned, plain }, key);
    case 'named-snapshots':
      return plain.snapshots(key.volume);
    case 'own-commits':
      return ownCommits({ versioned, plain }, key);
  }
}

/** Contents that were collected since (rule D4) are as if they had never been. */
function keptOnly(
  { plain }: Pick<Contents, 'plain'>,
  status: VnodeStatus | null,
): VnodeStatus | null {
  if (status === null || status.digest === null) return status;
  return plain.isKept(status.digest) ? status : null;
}

function feedPage(
  { versioned, plain }: Pick<Contents, 'versioned' | 'plain'>,
  { volume, since, limit }: KeyOf<'changes'>,
): RowOf<'changes'> {
  const page = plain.log(volume, since, limit);
  const commits = page.map(({ when: _when, ...line }) => {
    return { ...line, ...versioned.changes(volume, line.commit) };
  });
  const head = plain.head(volume);
  return { commits, upTo: page.length < limit ? head : (page.at(-1)?.commit ?? head) };
}
