/**
 * What the client knows of quotas: the usage that the server reported for each volume, and the stores that are held back for a quota. The rooms and
 * the held stores are durable, as rows of `meta` that the functions of this folder write.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { QuotaUsage } from '../../../shared/model/quota.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';

/**
 * Holds the quota usage that the server has reported, and the stores that are held back. Sizes are bytes.
 */
export class QuotaState {
  readonly #rooms = new Map<VolumeId, QuotaUsage>();
  readonly #stale = new Set<VolumeId>();
  /** Their quotas were raised, or ended, since the held stores were looked at last. */
  readonly #raised = new Set<VolumeId>();
  readonly #held = new Set<UpdateSeq>();
  readonly #ended: Fid[] = [];
  #isLookWanted = false;

  /** The usage that the server reported of a volume, in bytes; undefined: it has no quota. */
  of(volume: VolumeId): QuotaUsage | undefined {
    return this.#rooms.get(volume);
  }

  /** As the run before left it. */
  load(volume: VolumeId, room: QuotaUsage): void {
    this.#rooms.set(volume, room);
  }

  /** Takes the usage that the server reports of a volume; undefined: it has no quota. Returns false if nothing is new. */
  tell(volume: VolumeId, room: QuotaUsage | undefined): boolean {
    const wasStale = this.#stale.delete(volume);
    if (isSame(this.#rooms.get(volume), room) && !wasStale) return false;
    const { limit = null } = this.#rooms.get(volume) ?? {};
    if (limit !== null && (room === undefined || room.limit > limit)) this.#raised.add(volume);
    if (room === undefined) this.#rooms.delete(volume);
    else this.#rooms.set(volume, room);
    this.wantLook();
    return true;
  }

  /** Notes that the server has refused an update since its last report of the volume. */
  refused(volume: VolumeId): void {
    this.#stale.add(volume);
  }

  /** Whether the server has to report the usage of the volume again before more is sent. */
  isStale(volume: VolumeId): boolean {
    return this.#stale.has(volume);
  }

  /** The volumes whose quotas were raised, or ended, since this was asked last. */
  takeRaised(): ReadonlySet<VolumeId> {
    const raised = new Set(this.#raised);
    this.#raised.clear();
    return raised;
  }

  hold(seq: UpdateSeq): void {
    this.#held.add(seq);
  }

  forget(seq: UpdateSeq): void {
    this.#held.delete(seq);
  }

  holds(seq: UpdateSeq): boolean {
    return this.#held.has(seq);
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /** The held stores in the order of the log. */
  heldInOrder(): UpdateSeq[] {
    return [...this.#held].sort((a, b) => a - b);
  }

  /** A vnode may have ended here: the stores that are held back for it may be pointless. */
  noteEnded(fid: Fid): void {
    this.#ended.push(fid);
  }

  takeEnded(): Fid[] {
    return this.#ended.splice(0);
  }

  /** The held stores are to be looked at: there may be room. */
  wantLook(): void {
    this.#isLookWanted = true;
  }

  /** Whether they are, once. */
  takeLook(): boolean {
    const isWanted = this.#isLookWanted;
    this.#isLookWanted = false;
    return isWanted;
  }
}

function isSame(a: QuotaUsage | undefined, b: QuotaUsage | undefined): boolean {
  return a?.limit === b?.limit && a?.used === b?.used && a?.free === b?.free;
}
