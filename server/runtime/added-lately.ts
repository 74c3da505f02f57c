/**
 * How many rows each device has added to groups lately: they count half after a while (ADDED_LATELY). And who has asked something urgent lately: apart from the
 * rows, so that questions make nobody's share larger. Pure: the caller passes the time.
 */
import type { DeviceId } from '../../shared/model/change.ts';
import { elapsed, type Instant } from '../../shared/model/time.ts';
import { ADDED_LATELY, ASKED_LATELY, HEAVY_ROWS, SMALL_SHARE } from '../limits.ts';

/** Fewer rows than this are none. */
const NONE = 0.1;
/** A device that has added fewer waits for nothing just now. */
const ONE = 1;

interface Added {
  readonly rows: number;
  readonly at: Instant;
}

/** Estimates how many rows each device has added lately. Each call looks at one device, or at those whose rows have faded. */
export class AddedLately {
  readonly #heavyRows: number;
  /** The device that added last is the last one. */
  readonly #added = new Map<DeviceId, Added>();
  /** Of all devices: the rows of each fade alike, so their sum does too. */
  #all: Added | null = null;
  /** When each device has asked last. The device that asked last is the last one. */
  readonly #asked = new Map<DeviceId, Instant>();

  /** `heavyRows`: from so many on a device has added much. */
  constructor(heavyRows = HEAVY_ROWS) {
    this.#heavyRows = heavyRows;
  }

  add(device: DeviceId, rows: number, now: Instant): void {
    const before = faded(this.#added.get(device), now);
    this.#added.delete(device);
    this.#added.set(device, { rows: before + rows, at: now });
    this.#all = { rows: faded(this.#all, now) + rows, at: now };
  }

  /** It waits for an answer that nobody's work should delay. */
  asks(device: DeviceId, now: Instant): void {
    this.#asked.delete(device);
    this.#asked.set(device, now);
  }

  /** Others have added far more. */
  isSmall(device: DeviceId, now: Instant): boolean {
    return faded(this.#added.get(device), now) < SMALL_SHARE * faded(this.#all, now);
  }

  /** It has added much, and somebody else has added little or asks. */
  isHeavy(device: DeviceId, now: Instant): boolean {
    if (faded(this.#added.get(device), now) < this.#heavyRows || this.isSmall(device, now))
      return false;
    const small = SMALL_SHARE * faded(this.#all, now);
    for (const added of this.#added.values()) {
      const rows = faded(added, now);
      if (rows >= ONE && rows < small) return true;
    }
    for (const asker of this.#askers(now)) {
      if (asker !== device && this.isSmall(asker, now)) return true;
    }
    return false;
  }

  /** Several have added some, or one has while another one asks. */
  isShared(now: Instant): boolean {
    let some = 0;
    for (const [device, added] of this.#added) {
      if (faded(added, now) >= NONE) some++;
      else this.#added.delete(device);
      if (some > 1) return true;
    }
    if (some === 0) return false;
    for (const asker of this.#askers(now)) if (!this.#added.has(asker)) return true;
    return false;
  }

  /** Forgets those that have not asked lately, which are the first ones. */
  *#askers(now: Instant): Generator<DeviceId> {
    for (const [device, at] of this.#asked) {
      if (elapsed(at, now) < ASKED_LATELY) yield device;
      else this.#asked.delete(device);
    }
  }
}

/** What is left of it: half after ADDED_LATELY. */
function faded(added: Added | null | undefined, now: Instant): number {
  if (added === null || added === undefined) return 0;
  return added.rows * 0.5 ** (elapsed(added.at, now) / ADDED_LATELY);
}
