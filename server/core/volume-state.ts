/**
 * Everything the core of the server keeps in memory of one volume, room by room, and all volumes of the server.
 *
 * Invariants
 * 1. All that belongs to one volume is here and nowhere else: its history, quota, numbers, staged rows, marks, promises and their breaks, who uses
 *    what and what users say of that, who waits. So a volume can be given to another server whole.
 * 2. What is of the server names a volume by its number, or by a fid in it. Two things alone point into a volume: a group of commits, to what it has
 *    staged there, and the directory of pulls. Neither does where nothing of the volume is under way.
 * 3. A volume names devices by their numbers. Reads that wait and updates that are held point to theirs: they are answered before a volume goes.
 * 4. What volumes share are limits of the server as a whole (`SharedLimits`): each volume counts its part.
 * 5. A mirror of a row is changed in the step that stages the row; if the row's group fails, `undo` or `dropStaged` takes the change back.
 */
import type { DeviceId } from '../../shared/model/change.ts';
import { volumeOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { DirtyMark, StoredState } from '../../shared/model/stored.ts';
import type { Duration } from '../../shared/model/time.ts';
import { present } from '../../shared/util/assert.ts';
import { CountsByOwner } from '../../shared/util/counts-by-owner.ts';
import { OutstandingBreaks } from './callback/outstanding-breaks.ts';
import { PromiseTable, volumeIn, type SubjectKey } from './callback/promise-table.ts';
import { Overlay } from './commit/overlay.ts';
import type { HolderId, PendingUpdate } from './device/device.ts';
import { DirtyMarks } from './hidden/dirty-marks.ts';
import { FileLocks } from './lock/file-locks.ts';
import { VolumeQuota } from './quota/volume-quota.ts';
import { ShareMonitor } from './share/share-monitor.ts';
import { SharingOrders } from './share/sharing-orders.ts';
import { UseOrder } from './share/use-order.ts';
import { KnownDepth } from './volume/depth.ts';
import { VnodeNumbers } from './volume/vnode-numbers.ts';
import { VolumeHead } from './volume/volume-head.ts';
import { Pulls, type PullDirectory } from './wait/pulls.ts';
import { WaitingReads, type Tally } from './wait/waiting-reads.ts';

/** What the volumes of a server count together, since memory and patience are of the server as a whole. */
class SharedLimits {
  readonly marks = new CountsByOwner<DeviceId, VolumeId>();
  readonly promises = new CountsByOwner<HolderId, VolumeId>();
  /** Reads that wait for a mark. */
  readonly waitingFetches: Tally = { count: 0 };
  readonly useOrder = new UseOrder();
  readonly pulls: PullDirectory = new Map();
}

/**
 * Holds the state of one volume: head, quota, numbers, staged rows, marks, promises, sharing and
 * waiting reads.
 */
export class VolumeState {
  readonly id: VolumeId;
  /** An administrator may give it another one. */
  name: string;
  readonly head: VolumeHead;
  readonly quota: VolumeQuota;
  /** How deep its directories may be. */
  readonly depth = new KnownDepth();
  readonly numbers: VnodeNumbers;
  /** Rows that loads may not show yet. */
  readonly rows = new Overlay();
  readonly marks: DirtyMarks;
  readonly promises: PromiseTable;
  /** Breaks of them that are not acknowledged. */
  readonly breaks = new OutstandingBreaks();
  /** Who has used what. */
  readonly monitor: ShareMonitor;
  /** What users say of that. */
  readonly orders: SharingOrders;
  /** Who has locked what (rules K1 to K5). */
  readonly locks = new FileLocks();
  readonly reads: WaitingReads;
  /** Who was asked to hurry what. */
  readonly pulls: Pulls;
  /** Updates received in the grace, in order. */
  readonly held: PendingUpdate[] = [];

  constructor(
    stored: StoredState['volumes'][number],
    { cuts, sharing }: Pick<StoredState, 'cuts' | 'sharing'>,
    limits: SharedLimits,
    sharePeriod: Duration,
  ) {
    const { id, name, head, limit, used, lastUniquifier } = stored;
    const ownCuts = cuts.filter((cut) => cut.volume === id);
    this.id = id;
    this.name = name;
    this.head = new VolumeHead(head, ownCuts);
    this.quota = new VolumeQuota(limit, used);
    this.numbers = new VnodeNumbers(lastUniquifier, ownCuts);
    this.marks = new DirtyMarks(id, limits.marks);
    this.promises = new PromiseTable(id, limits.promises);
    this.monitor = new ShareMonitor(sharePeriod, limits.useOrder);
    this.orders = new SharingOrders(id, sharing);
    this.reads = new WaitingReads(limits.waitingFetches);
    this.pulls = new Pulls(limits.pulls);
  }

  /** Everything that was staged in it failed. */
  dropStaged(): void {
    this.head.dropStaged();
    this.quota.dropStaged();
    this.rows.clear();
  }
}

/** The volumes of a server. */
export class Volumes {
  readonly limits = new SharedLimits();
  readonly #sharePeriod: Duration;
  readonly #byId = new Map<VolumeId, VolumeState>();

  constructor(stored: StoredState, sharePeriod: Duration) {
    this.#sharePeriod = sharePeriod;
    for (const each of stored.volumes) this.add(each, stored);
    for (const mark of stored.dirty) this.find(mark.fid)?.marks.put(mark);
  }

  [Symbol.iterator](): Iterator<VolumeState> {
    return this.#byId.values();
  }

  /** Not known before. `of`: what is stored of volumes, this one among them. */
  add(stored: StoredState['volumes'][number], of: Pick<StoredState, 'cuts' | 'sharing'>): void {
    this.#byId.set(stored.id, new VolumeState(stored, of, this.limits, this.#sharePeriod));
  }

  has(id: VolumeId): boolean {
    return this.#byId.has(id);
  }

  /** The volume that a subject is in, or is; undefined: there is none. For what a peer names before its right was looked at. */
  find(key: SubjectKey): VolumeState | undefined {
    return this.#byId.get(volumeIn(key));
  }

  /** The volume that a subject is in, or is. It is there: a device has a right in it. */
  of(key: SubjectKey): VolumeState {
    const volume = volumeIn(key);
    return present(this.#byId.get(volume), 'a volume with rights is there', { volume });
  }

  /** The marks of a device in all volumes, by volume, and there in the order in which they were put. */
  marksOf(device: DeviceId): DirtyMark[] {
    return this.limits.marks
      .placesOf(device)
      .flatMap((volume) => this.of(volume).marks.ofDevice(device));
  }

  /** The promises of a holder in all volumes, by volume, and there in the order in which they were given. */
  promisesOf(holder: HolderId): SubjectKey[] {
    return this.limits.promises
      .placesOf(holder)
      .flatMap((volume) => this.of(volume).promises.ofHolder(holder));
  }

  /** The holder has no promise any more. */
  dropPromises(holder: HolderId): void {
    for (const key of this.promisesOf(holder)) this.of(key).promises.remove(key, holder);
  }

  /** Whether another device than `reader` is about to change the vnode. */
  isDirtyFor(fid: Fid, reader: DeviceId): boolean {
    return this.#byId.get(volumeOf(fid))?.marks.isDirtyFor(fid, reader) ?? false;
  }
}
