/**
 * The share monitor of a volume: which of its vnodes (and the volume as a whole) several devices have used lately. MFS, section 5.1: every new file
 * is unshared, and "client accesses to a file" are watched "according to an overlapping series of time periods to ensure that files which are
 * regularly accessed remain shared"; the paper leaves the rest out.
 *
 * Ours: time is cut into halves, and any two in a row are a period, so each use lies in two periods, and two uses that are less than half a period
 * apart always share one. Used by two devices in one period, a subject is shared from then on, and to the end of the period after: one that is used
 * so again and again stays shared, and one that is used by a single device is unshared after two periods at most.
 *
 * What it says decides classes, and who is not worth a grant for itself. Whether something is promised as unshared is decided by promises
 * (unshared.ts): so it may forget, over a restart too, and is right again after some uses.
 *
 * Invariants
 * 1. All monitors of a server together keep MAX_WATCHED subjects (use-order.ts); the one that was not used for the longest goes first, and is
 *    unshared then.
 * 2. The memory for a subject does not depend on who uses it, or how often.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { Duration, Instant } from '../../../shared/model/time.ts';
import type { SubjectKey } from '../callback/promise-table.ts';
import type { Used, UseOrder } from './use-order.ts';

/** Who used it in one half of a period. */
type Users = DeviceId | 'nobody' | 'several';

interface Watched extends Used {
  /** The half that `now` is of; `before` is of the one before it. */
  half: number;
  now: Users;
  before: Users;
  /** The last half in which it is shared. */
  sharedUntil: number;
}

/**
 * Decides which subjects of a volume are shared, from the devices that used each lately (MFS,
 * section 5.1).
 */
export class ShareMonitor {
  readonly #half: number;
  readonly #order: UseOrder;
  readonly #watched = new Map<SubjectKey, Watched>();

  /** Two devices that use something within `period` share it. `order` is the one of all monitors of the server. */
  constructor(period: Duration, order: UseOrder) {
    this.#half = period / 2;
    this.#order = order;
  }

  /** Subjects that are watched. */
  get size(): number {
    return this.#watched.size;
  }

  /** A device has opened it, or changed it. */
  used(key: SubjectKey, device: DeviceId, at: Instant): void {
    const half = this.#halfAt(at);
    const watched = this.#touch(key, half);
    watched.now = together(watched.now, device);
    this.#judge(watched);
  }

  isShared(key: SubjectKey, at: Instant): boolean {
    const watched = this.#watched.get(key);
    return watched !== undefined && this.#halfAt(at) <= watched.sharedUntil;
  }

  /** A vnode takes the place of another: the use of that one was of the name, and goes on (rule W3). */
  inherit(from: SubjectKey, to: SubjectKey, at: Instant): void {
    if (!this.#watched.has(from) || from === to) return;
    const half = this.#halfAt(at);
    const before = { ...this.#touch(from, half) };
    const watched = this.#touch(to, half);
    watched.now = together(watched.now, before.now);
    watched.before = together(watched.before, before.before);
    watched.sharedUntil = Math.max(watched.sharedUntil, before.sharedUntil);
    this.#judge(watched);
  }

  #judge(watched: Watched): void {
    const { half, now, before } = watched;
    if (together(now, before) !== 'several') return;
    // Its period ends with this half or the next one; then comes one more.
    const last = now === 'several' ? half + 1 : half;
    watched.sharedUntil = Math.max(watched.sharedUntil, last + 2);
  }

  /** As of this half, and used last. */
  #touch(key: SubjectKey, half: number): Watched {
    const watched = this.#watched.get(key) ?? this.#watch(key, half);
    if (watched.half < half) {
      watched.before = watched.half === half - 1 ? watched.now : 'nobody';
      watched.now = 'nobody';
      watched.half = half;
    }
    this.#order.used(watched);
    return watched;
  }

  #watch(key: SubjectKey, half: number): Watched {
    const place = { key, among: this.#watched, older: null, newer: null };
    const watched: Watched = { half, now: 'nobody', before: 'nobody', sharedUntil: -1, ...place };
    this.#watched.set(key, watched);
    return watched;
  }

  #halfAt(at: Instant): number {
    return Math.floor(at / this.#half);
  }
}

function together(one: Users, other: Users): Users {
  if (one === 'nobody' || one === other) return other;
  return other === 'nobody' ? one : 'several';
}
