/**
 * The quota of a volume, in bytes: what its files take, what is kept for uploads, and what devices count on.
 *
 * Invariants
 * 1. `used` is the bytes of the present contents of the files: it is staged with each commit, and void with its group. `usedCommitted` is
 *    of what is durable.
 * 2. Grants together take half of what is free at most: who is idle keeps nobody from writing.
 * 3. A grant ends with the lease of its device.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { PendingUpdate } from '../device/device.ts';
import { Reservations } from './reservations.ts';

/** Counts the used, reserved and granted bytes of a volume against its quota. */
export class VolumeQuota {
  /** Bytes that are granted to a device ahead: others are not offered them (quota-usage.ts). */
  readonly grants = new Map<DeviceId, number>();
  /** Bytes that are kept for uploads under way (reserve.ts). */
  readonly uploads = new Reservations<PendingUpdate>();
  #limit: number | null;
  #used: number;
  #usedCommitted: number;
  #begun = 0;

  constructor(limit: number | null, used: number) {
    this.#limit = limit;
    this.#used = used;
    this.#usedCommitted = used;
  }

  /** Null: there is none. */
  get limit(): number | null {
    return this.#limit;
  }

  /** Bytes on the disk of uploads that were cut off and may go on. */
  get begun(): number {
    return this.#begun;
  }

  /** As of the commits that are decided. */
  get used(): number {
    return this.#used;
  }

  /** As of the commits that are durable. */
  get usedCommitted(): number {
    return this.#usedCommitted;
  }

  setLimit(limit: number | null): void {
    this.#limit = limit;
  }

  setBegun(bytes: number): void {
    this.#begun = bytes;
  }

  /** A commit is decided after which the files take this. */
  stageUsed(bytes: number): void {
    this.#used = bytes;
  }

  /** A group is durable after which the files take this. */
  usedIsDurable(bytes: number): void {
    this.#usedCommitted = bytes;
  }

  /** What was staged failed. */
  dropStaged(): void {
    this.#used = this.#usedCommitted;
  }

  /** Bytes that this upload may let the files grow by, beside what is kept for others; infinite where there is no quota. */
  freeBeside(upload: PendingUpdate): number {
    if (this.#limit === null) return Number.POSITIVE_INFINITY;
    const kept = this.uploads.heldBy(upload) > 0 ? 0 : this.uploads.total;
    return this.#limit - this.#used - kept;
  }

  /** Bytes of begun uploads that are in the way of what is used and kept. */
  get inTheWay(): number {
    if (this.#limit === null || this.#begun === 0) return 0;
    const over = this.#used + this.uploads.total + this.#begun - this.#limit;
    return Math.max(0, Math.min(this.#begun, over));
  }
}
