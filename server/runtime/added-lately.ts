/**
 * How many rows each device has added to groups lately: they count half after a while (ADDED_LATELY). Pure: the caller passes the time.
 */
import type { DeviceId } from '../../shared/model/change.ts';
import { elapsed, type Instant } from '../../shared/model/time.ts';
import { ADDED_LATELY, SMALL_SHARE } from '../limits.ts';

/** Fewer rows than this are none. */
const NONE = 0.1;

interface Added {
  rows: number;
  at: Instant;
}

/** Estimates how many rows each device has added lately. */
export class AddedLately {
  readonly #added = new Map<DeviceId, Added>();

  add(device: DeviceId, rows: number, now: Instant): void {
    const before = this.#rowsOf(device, now);
    this.#added.set(device, { rows: before + rows, at: now });
  }

  /** Others have added far more. */
  isSmall(device: DeviceId, now: Instant): boolean {
    const own = this.#rowsOf(device, now);
    const all = this.#all(now);
    return all > own && own < SMALL_SHARE * all;
  }

  /** Several have added some. */
  isShared(now: Instant): boolean {
    this.#forget(now);
    return this.#added.size > 1;
  }

  #rowsOf(device: DeviceId, now: Instant): number {
    const added = this.#added.get(device);
    return added === undefined ? 0 : added.rows * 0.5 ** (elapsed(added.at, now) / ADDED_LATELY);
  }

  #all(now: Instant): number {
    this.#forget(now);
    let all = 0;
    for (const device of this.#added.keys()) all += this.#rowsOf(device, now);
    return all;
  }

  #forget(now: Instant): void {
    for (const device of this.#added.keys()) {
      if (this.#rowsOf(device, now) < NONE) this.#added.delete(device);
    }
  }
}
