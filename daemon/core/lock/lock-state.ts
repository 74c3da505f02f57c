/**
 * The user locks of this laptop, and those of others as the server last told them (rules K1 to K5).
 *
 * Invariants
 * 1. A lock of ours is `held` only on the word of the server of the present session, and until its lease ends (`holdsLock` in keep-locks.ts).
 * 2. What a person wants to have locked is durable, and so is what was lost; what others have is of this run.
 * 3. One request for a volume's locks is under way at a time.
 */
import type { LockLoss } from '../../../shared/control/locks.ts';
import type { FileLock, LockMode } from '../../../shared/model/file-lock.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { Instant, WallTime } from '../../../shared/model/time.ts';
import { LOST_LOCKS_KEPT, LOST_LOCKS_SHOWN } from '../../limits.ts';

/** A lock that a person of this laptop wants. */
export interface OwnLock {
  readonly fid: Fid;
  mode: LockMode;
  /** `asked`: it was held, and is asked for again; `leaving`: it ends when all that was saved is committed (K3). */
  state: 'asked' | 'held' | 'leaving';
  /** When its person locked it, by the clock of the server; null: the server has not said. */
  since: WallTime | null;
  /** Where the file was last, from the root of its volume; null: it has not been looked at here. */
  path: string | null;
  /** When it was known to be held last. */
  heldAt: WallTime;
  /** When the lease ends under which it was held as the last connection ended; null: that lease is over. */
  leaseEnd: Instant | null;
  /** The state of the volume's locks in which it was granted. */
  revision: number;
}

export interface LostLock {
  readonly fid: Fid;
  /** Where the file was last. */
  readonly path: string | null;
  readonly why: LockLoss;
  /** The name of the laptop that has it now, or broke it; null: not known. */
  readonly by: string | null;
  readonly when: WallTime;
}

interface LocksOfVolume {
  locks: readonly FileLock[];
  revision: number;
  /** The latest that an answer has named. */
  told: number;
  asked: boolean;
}

/** Keeps the locks of this laptop and of others, and which volumes are to be asked about. */
export class LockState {
  readonly own = new Map<Fid, OwnLock>();
  lost: readonly LostLock[] = [];
  readonly #volumes = new Map<VolumeId, LocksOfVolume>();

  of(volume: VolumeId): readonly FileLock[] {
    return this.#volumes.get(volume)?.locks ?? [];
  }

  all(): FileLock[] {
    const inOrder = [...this.#volumes].sort(([one], [other]) => one - other);
    return inOrder.flatMap(([, { locks }]) => locks);
  }

  ofFile(fid: Fid): FileLock[] {
    return this.of(volumeOf(fid)).filter((lock) => lock.fid === fid);
  }

  /** An answer names the revision; answers overtake each other, so a lower one is of an older answer. */
  told(volume: VolumeId, revision: number): void {
    const known = this.#at(volume);
    known.told = Math.max(known.told, revision);
  }

  /** What has to be asked about; from now on it is being asked. */
  takeStale(): VolumeId[] {
    const stale: VolumeId[] = [];
    for (const [volume, known] of this.#volumes) {
      if (known.asked || known.told <= known.revision) continue;
      known.asked = true;
      stale.push(volume);
    }
    return stale;
  }

  replace(volume: VolumeId, locks: readonly FileLock[], revision: number): void {
    Object.assign(this.#at(volume), { locks, revision, asked: false });
  }

  /** The question failed: the next revision that is told makes another one. */
  failed(volume: VolumeId): void {
    Object.assign(this.#at(volume), { asked: false, told: 0 });
  }

  /** Another session begins: what others had may have ended, and the server counts anew. */
  reset(): void {
    this.#volumes.clear();
  }

  lose(lock: LostLock): void {
    this.own.delete(lock.fid);
    this.forgetLost(lock.fid);
    this.lost = [...this.lost, lock].slice(-LOST_LOCKS_KEPT);
  }

  /** What was lost long ago is of no use to its person any more. */
  forgetOld(now: WallTime): void {
    this.lost = this.lostSince(now);
  }

  /** Those that are shown. */
  lostSince(now: WallTime): readonly LostLock[] {
    return this.lost.filter(({ when }) => now - when < LOST_LOCKS_SHOWN);
  }

  forgetLost(fid: Fid): void {
    this.lost = this.lost.filter((each) => each.fid !== fid);
  }

  #at(volume: VolumeId): LocksOfVolume {
    const known = this.#volumes.get(volume);
    if (known !== undefined) return known;
    const fresh = { locks: [], revision: 0, told: 0, asked: false };
    this.#volumes.set(volume, fresh);
    return fresh;
  }
}
