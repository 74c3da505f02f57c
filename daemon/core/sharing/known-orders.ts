/**
 * The sharing orders of users (rule S1), as the server last reported them. They are durable, so they hold on a laptop that is away too.
 *
 * Invariants
 * 1. Of a volume all is known, as of one `revision` of this connection; none: as of an earlier one, or by our own word alone.
 * 2. One request for a volume's orders is under way at a time. One is sent when the server reports a later revision than ours; revisions only grow
 *    while a connection lasts.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import type { OrderedVnode, SharingOrder } from '../../../shared/model/sharing.ts';

interface OrdersOfVolume {
  orders: Map<Fid, SharingOrder>;
  revision: number | null;
  told: number | null;
  asked: boolean;
}

/**
 * Keeps the sharing orders of each volume with their revision, and says which volumes to ask about.
 */
export class KnownOrders {
  readonly #volumes = new Map<VolumeId, OrdersOfVolume>();

  get(fid: Fid): SharingOrder | null {
    return this.#volumes.get(volumeOf(fid))?.orders.get(fid) ?? null;
  }

  hasAny(volume: VolumeId): boolean {
    return (this.#volumes.get(volume)?.orders.size ?? 0) > 0;
  }

  all(): OrderedVnode[] {
    const inOrder = [...this.#volumes].sort(([one], [other]) => one - other);
    return inOrder.flatMap(([, { orders }]) => [...orders].map(([fid, order]) => ({ fid, order })));
  }

  of(volume: VolumeId): OrderedVnode[] {
    const orders = this.#volumes.get(volume)?.orders ?? new Map<Fid, SharingOrder>();
    return [...orders].map(([fid, order]) => ({ fid, order }));
  }

  put(fid: Fid, order: SharingOrder | null): void {
    const { orders } = this.#at(volumeOf(fid));
    if (order === null) orders.delete(fid);
    else orders.set(fid, order);
  }

  replace(volume: VolumeId, orders: readonly OrderedVnode[], revision: number | null): void {
    const known = this.#at(volume);
    known.orders = new Map(orders.map(({ fid, order }) => [fid, order]));
    known.revision = revision;
    known.asked = false;
  }

  /** Notes the revision that an answer reports. Answers overtake each other, so a lower revision than the known one is of an older answer. */
  told(volume: VolumeId, revision: number): void {
    const known = this.#at(volume);
    known.told = Math.max(known.told ?? 0, revision);
  }

  /** What has to be asked about; from now on it is being asked. */
  takeStale(): VolumeId[] {
    const stale: VolumeId[] = [];
    for (const [volume, known] of this.#volumes) {
      if (known.asked || known.told === null || known.told <= (known.revision ?? 0)) continue;
      known.asked = true;
      stale.push(volume);
    }
    return stale;
  }

  /** Notes that the request for the orders failed: the next revision that the server reports makes another request. */
  failed(volume: VolumeId): void {
    const known = this.#at(volume);
    known.asked = false;
    known.told = null;
  }

  /** Another connection begins: the server names the revisions anew. */
  reset(): void {
    for (const known of this.#volumes.values()) {
      Object.assign(known, { revision: null, told: null, asked: false });
    }
  }

  #at(volume: VolumeId): OrdersOfVolume {
    const known = this.#volumes.get(volume);
    if (known !== undefined) return known;
    const fresh = {
      orders: new Map<Fid, SharingOrder>(),
      revision: null,
      told: null,
      asked: false,
    };
    this.#volumes.set(volume, fresh);
    return fresh;
  }
}
