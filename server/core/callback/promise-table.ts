/**
 * The promise table: which device was promised to hear of a change of what. Volatile; a server that starts anew waits for
 * the leases of the one before instead (rule P1).
 *
 * Invariants
 * 1. A device that may use a promise for a subject is in the table, or a break of it is under way (break-board.ts).
 * 2. Grant numbers of one device only grow (rule P2): whoever breaks a promise names the newest number given so far.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Subject } from '../../../shared/model/callback-promise.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { MAX_DEVICE_PROMISES } from '../../limits.ts';

export type SubjectKey = Fid | VolumeId;

/** A device; below zero a former run of one (session/former-runs.ts). */
export type HolderId = DeviceId;

export class PromiseTable {
  /** Fids are texts and volumes numbers, so they don't meet. */
  readonly #holders = new Map<SubjectKey, Set<HolderId>>();
  readonly #byDevice = new Map<HolderId, Set<SubjectKey>>();

  /** False: the device holds as many as it may. */
  add(key: SubjectKey, device: HolderId): boolean {
    const own = this.#byDevice.get(device) ?? new Set<SubjectKey>();
    if (own.size >= MAX_DEVICE_PROMISES && !own.has(key)) return false;
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
    if (own?.delete(key) === true && own.size === 0) this.#byDevice.delete(device);
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
}

const NOBODY: HolderId[] = [];

export function subjectOf(key: SubjectKey): Subject {
  return typeof key === 'string' ? { fid: key } : { volume: key };
}
