/**
 * The user locks of a volume (rules K1 to K5), in memory: a server that starts anew has none, and devices ask for theirs again.
 *
 * Invariants
 * 1. A file has one exclusive lock, or shared ones only; a broken lock counts until it is removed.
 * 2. A device has one lock of a file at most.
 * 3. `revision` is another one after each change; it is 0 as long as there was none.
 */
import type { DeviceId } from '../../../shared/model/change.ts';
import type { LockMode } from '../../../shared/model/file-lock.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';

/** A lock as the server keeps it: whose, and how. */
export interface HeldLock {
  readonly device: DeviceId;
  readonly mode: LockMode;
  readonly since: WallTime;
  /** Who has broken it; null: nobody. */
  readonly brokenBy: DeviceId | null;
}

/** Keeps who has locked which file of a volume. */
export class FileLocks {
  readonly #held = new Map<Fid, readonly HeldLock[]>();
  #revision = 0;
  #size = 0;

  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#size;
  }

  all(): ReadonlyMap<Fid, readonly HeldLock[]> {
    return this.#held;
  }

  of(fid: Fid): readonly HeldLock[] {
    return this.#held.get(fid) ?? NONE;
  }

  own(fid: Fid, device: DeviceId): HeldLock | undefined {
    return this.of(fid).find((held) => held.device === device);
  }

  /** The files that a device has locked. */
  ofDevice(device: DeviceId): Fid[] {
    return [...this.#held.keys()].filter((fid) => this.own(fid, device) !== undefined);
  }

  /** Locks of others that a lock of this mode can not be granted beside. */
  against(fid: Fid, device: DeviceId, mode: LockMode): HeldLock[] {
    return this.of(fid).filter(
      (held) => held.device !== device && (mode === 'exclusive' || held.mode === 'exclusive'),
    );
  }

  /** In the place of the one that the device has. */
  put(fid: Fid, lock: HeldLock): void {
    this.#set(fid, [...this.of(fid).filter(({ device }) => device !== lock.device), lock]);
  }

  /** False: there was none. */
  remove(fid: Fid, device: DeviceId): boolean {
    if (this.own(fid, device) === undefined) return false;
    this.#set(
      fid,
      this.of(fid).filter((held) => held.device !== device),
    );
    return true;
  }

  /** All of a file end; what they were. */
  removeAll(fid: Fid): readonly HeldLock[] {
    const were = this.of(fid);
    if (were.length > 0) this.#set(fid, NONE);
    return were;
  }

  #set(fid: Fid, held: readonly HeldLock[]): void {
    this.#size += held.length - this.of(fid).length;
    this.#revision += 1;
    if (held.length === 0) this.#held.delete(fid);
    else this.#held.set(fid, held);
  }
}

const NONE: readonly HeldLock[] = [];
