/**
 * The promise table of a volume: which device was promised to hear of a change of what. Volatile; a server that starts anew waits for
 * the leases of the one before instead (rule P1).
 *
 * Invariants
 * 1. A device that may use a promise for a subject is in the table, or a break of it is under way (break-board.ts).
 * 2. Grant numbers of one device only grow (rule P2): a break names the newest number given so far.
 * 3. An unshared subject has one holder, and no other device has a promise that covers it (rule S1).
 * 4. The counts that all volumes share say of each holder how many promises it has in which volume. What is too much is taken back (reclaim.ts).
 */
import type { GrantNumber, Subject } from '../../../shared/model/callback-promise.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { CountsByOwner } from '../../../shared/util/counts-by-owner.ts';
import type { HolderId } from '../device/device.ts';

/** A vnode, or the volume as a whole. Fids are texts and volumes numbers, so they don't meet. */
export type SubjectKey = Fid | VolumeId;

/**
 * Records who holds which callback promise in a volume (AFS, section 4.1 of the 1988 paper).
 */
export class PromiseTable {
  readonly #volume: VolumeId;
  readonly #counts: CountsByOwner<HolderId, VolumeId>;
  readonly #holders = new Map<SubjectKey, Set<HolderId>>();
  /** The promise for the volume among them; each with the number of its newest grant, the one granted longest ago first. */
  readonly #byHolder = new Map<HolderId, Map<SubjectKey, GrantNumber>>();
  readonly #unshared = new Map<SubjectKey, HolderId>();

  constructor(volume: VolumeId, counts: CountsByOwner<HolderId, VolumeId>) {
    this.#volume = volume;
    this.#counts = counts;
  }

  /** `grant`: the number of it. A later one for the same takes the place of the earlier. */
  add(key: SubjectKey, holder: HolderId, grant: GrantNumber): void {
    const own = this.#byHolder.get(holder) ?? new Map<SubjectKey, GrantNumber>();
    if (own.delete(key)) {
      own.set(key, grant);
      return;
    }
    this.#counts.add(holder, this.#volume, 1);
    this.#byHolder.set(holder, own.set(key, grant));
    const holders = this.#holders.get(key);
    if (holders === undefined) this.#holders.set(key, new Set([holder]));
    else holders.add(holder);
  }

  has(key: SubjectKey, holder: HolderId): boolean {
    return this.#holders.get(key)?.has(holder) ?? false;
  }

  /** The holder gives up what it was granted up to this number; what it was granted since stays (rule N3). */
  giveUp(key: SubjectKey, holder: HolderId, upTo: GrantNumber): void {
    const grant = this.#byHolder.get(holder)?.get(key);
    if (grant !== undefined && grant <= upTo) this.remove(key, holder);
  }

  /** Nothing happens where there is no such promise. */
  remove(key: SubjectKey, holder: HolderId): void {
    const holders = this.#holders.get(key);
    if (holders?.delete(holder) === true && holders.size === 0) this.#holders.delete(key);
    const own = this.#byHolder.get(holder);
    if (own?.delete(key) !== true) return;
    if (own.size === 0) this.#byHolder.delete(holder);
    this.#counts.add(holder, this.#volume, -1);
    if (this.#unshared.get(key) === holder) this.#unshared.delete(key);
  }

  /** Whether no other holder has a promise that covers this subject, or is covered by it. */
  isAlone(key: SubjectKey, holder: HolderId): boolean {
    const { size } = this.#byHolder;
    if (size === 0 || (size === 1 && this.#byHolder.has(holder))) return true;
    if (key === this.#volume) return false;
    return this.holdersBut(key, holder).length + this.holdersBut(this.#volume, holder).length === 0;
  }

  /** The holder of this promise has it for its own. */
  makeUnshared(key: SubjectKey, holder: HolderId): void {
    this.#unshared.set(key, holder);
  }

  isUnshared(key: SubjectKey, holder: HolderId): boolean {
    return this.#unshared.get(key) === holder;
  }

  /** What others than the reader have for their own, and what it would be promised of it. */
  unsharedAgainst(key: SubjectKey, reader: HolderId): Array<[SubjectKey, HolderId]> {
    if (this.#unshared.size === 0) return [];
    if (key === this.#volume) return [...this.#unshared].filter(([, holder]) => holder !== reader);
    const found: Array<[SubjectKey, HolderId]> = [];
    for (const each of [key, this.#volume]) {
      const holder = this.#unshared.get(each);
      if (holder !== undefined && holder !== reader) found.push([each, holder]);
    }
    return found;
  }

  /** Everybody but the writer, in the order in which they were promised. */
  holdersBut(key: SubjectKey, writer: HolderId | null): HolderId[] {
    const holders = this.#holders.get(key);
    if (holders === undefined) return NO_HOLDERS;
    return [...holders].filter((holder) => holder !== writer);
  }

  /** In the order in which they were given. */
  ofHolder(holder: HolderId): SubjectKey[] {
    return [...(this.#byHolder.get(holder)?.keys() ?? [])];
  }

  /** Its promises in this volume, each with its number, the one granted longest ago first. */
  grantsOf(holder: HolderId): IterableIterator<[SubjectKey, GrantNumber]> {
    return (this.#byHolder.get(holder) ?? NO_GRANTS).entries();
  }
}

const NO_HOLDERS: HolderId[] = [];
const NO_GRANTS: ReadonlyMap<SubjectKey, GrantNumber> = new Map();

/** The volume that a subject is in, or is. */
export function volumeIn(key: SubjectKey): VolumeId {
  return typeof key === 'string' ? volumeOf(key) : key;
}

/** The subject as messages name it. */
export function subjectOf(key: SubjectKey): Subject {
  return typeof key === 'string' ? { fid: key } : { volume: key };
}
