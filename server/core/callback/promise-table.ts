/**
 * The promise table: which device was promised to hear of a change of what. Volatile; a server that starts anew waits for
 * the leases of the one before instead (rule P1).
 *
 * Invariants
 * 1. A device that may use a promise for a subject is in the table, or a break of it is under way (break-board.ts).
 * 2. Grant numbers of one device only grow (rule P2): whoever breaks a promise names the newest number given so far.
 * 3. What is unshared has one holder, the one that has it for its own (rule S1), and nobody else has a promise that covers it.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Subject } from '../../../shared/model/callback-promise.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import { MAX_DEVICE_PROMISES } from '../../limits.ts';

export type SubjectKey = Fid | VolumeId;

/** A device; below zero a former run of one (session/previous-instances.ts). */
export type HolderId = DeviceId;

export class PromiseTable {
  /** Fids are texts and volumes numbers, so they don't meet. */
  readonly #holders = new Map<SubjectKey, Set<HolderId>>();
  readonly #byDevice = new Map<HolderId, Set<SubjectKey>>();
  /** How many promises each holds in a volume, the one for the volume among them. */
  readonly #inVolume = new Map<VolumeId, Map<HolderId, number>>();
  readonly #unshared = new Map<VolumeId, Map<SubjectKey, HolderId>>();

  /** False: the device holds as many as it may. */
  add(key: SubjectKey, device: HolderId): boolean {
    const own = this.#byDevice.get(device) ?? new Set<SubjectKey>();
    if (own.has(key)) return true;
    if (own.size >= MAX_DEVICE_PROMISES) return false;
    this.#count(key, device, 1);
    this.#byDevice.set(device, own.add(key));
    const holders = this.#holders.get(key);
    if (holders === undefined) this.#holders.set(key, new Set([device]));
    else holders.add(device);
    return true;
  }

  has(key: SubjectKey, device: HolderId): boolean {
    return this.#holders.get(key)?.has(device) ?? false;
  }

  remove(key: SubjectKey, device: HolderId): void {
    const holders = this.#holders.get(key);
    if (holders?.delete(device) === true && holders.size === 0) this.#holders.delete(key);
    const own = this.#byDevice.get(device);
    if (own?.delete(key) !== true) return;
    if (own.size === 0) this.#byDevice.delete(device);
    this.#count(key, device, -1);
    const unshared = this.#unshared.get(volumeIn(key));
    if (unshared?.get(key) === device) unshared.delete(key);
    if (unshared?.size === 0) this.#unshared.delete(volumeIn(key));
  }

  /** Nobody else has a promise that covers this, or is covered by it. */
  isAlone(key: SubjectKey, device: HolderId): boolean {
    const volume = volumeIn(key);
    const inVolume = this.#inVolume.get(volume);
    if (inVolume === undefined || (inVolume.size === 1 && inVolume.has(device))) return true;
    if (key === volume) return false;
    return this.holdersBut(key, device).length + this.holdersBut(volume, device).length === 0;
  }

  /** The holder of this promise has it for its own. */
  makeUnshared(key: SubjectKey, holder: HolderId): void {
    const volume = volumeIn(key);
    const unshared = this.#unshared.get(volume) ?? new Map<SubjectKey, HolderId>();
    this.#unshared.set(volume, unshared.set(key, holder));
  }

  isUnshared(key: SubjectKey, holder: HolderId): boolean {
    return this.#unshared.get(volumeIn(key))?.get(key) === holder;
  }

  /** What others than the reader have for their own, and what it would be promised of it. */
  unsharedAgainst(key: SubjectKey, reader: HolderId): Array<[SubjectKey, HolderId]> {
    const volume = volumeIn(key);
    const unshared = this.#unshared.get(volume);
    if (unshared === undefined) return [];
    if (key === volume) return [...unshared].filter(([, holder]) => holder !== reader);
    const found: Array<[SubjectKey, HolderId]> = [];
    for (const each of [key, volume]) {
      const holder = unshared.get(each);
      if (holder !== undefined && holder !== reader) found.push([each, holder]);
    }
    return found;
  }

  /** Everybody but the writer, in the order in which they were promised. */
  holdersBut(key: SubjectKey, writer: HolderId | null): HolderId[] {
    const holders = this.#holders.get(key);
    if (holders === undefined) return NOBODY;
    return [...holders].filter((device) => device !== writer);
  }

  ofDevice(device: HolderId): SubjectKey[] {
    return [...(this.#byDevice.get(device) ?? [])];
  }

  dropDevice(device: HolderId): void {
    for (const key of this.ofDevice(device)) this.remove(key, device);
  }

  #count(key: SubjectKey, device: HolderId, by: number): void {
    const volume = volumeIn(key);
    const counts = this.#inVolume.get(volume) ?? new Map<HolderId, number>();
    const count = (counts.get(device) ?? 0) + by;
    if (count === 0) counts.delete(device);
    else counts.set(device, count);
    if (counts.size === 0) this.#inVolume.delete(volume);
    else this.#inVolume.set(volume, counts);
  }
}

const NOBODY: HolderId[] = [];

export function volumeIn(key: SubjectKey): VolumeId {
  return typeof key === 'string' ? volumeOf(key) : key;
}

export function subjectOf(key: SubjectKey): Subject {
  return typeof key === 'string' ? { fid: key } : { volume: key };
}
