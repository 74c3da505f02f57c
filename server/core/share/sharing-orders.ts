/**
 * What users say of who uses which file or folder (rule S1), in memory as in the store. The daemons resolve what holds for what is in a folder:
 * they know where a file is. Here counts what a promise is given for: a file, a folder, or a volume, by the order of its root.
 *
 * Invariants
 * 1. A volume's `revision` is another one after each change, and after a change was taken back; 0 as long as there was none, and there are none.
 * 2. An order ends with its vnode, and goes on with what is renamed over that (rule W3; set-sharing.ts).
 */
import { rootOf, volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { OrderedVnode, SharingOrder } from '../../../shared/model/sharing.ts';
import type { SubjectKey } from '../callback/promise-table.ts';

interface OrdersOfVolume {
  readonly all: Map<Fid, SharingOrder>;
  revision: number;
  /** The group of the last change: who is told of it is told when that is durable. */
  group: number;
}

export class SharingOrders {
  readonly #volumes = new Map<VolumeId, OrdersOfVolume>();

  constructor(stored: readonly OrderedVnode[]) {
    for (const { fid, order } of stored) this.put(fid, order, 0);
  }

  get(fid: Fid): SharingOrder | null {
    return this.#volumes.get(volumeOf(fid))?.all.get(fid) ?? null;
  }

  of(volume: VolumeId): OrdersOfVolume {
    return this.#volumes.get(volume) ?? { all: new Map(), revision: 0, group: 0 };
  }

  put(fid: Fid, order: SharingOrder | null, group: number): void {
    const volume = this.of(volumeOf(fid));
    this.#volumes.set(volumeOf(fid), volume);
    if (order === null) volume.all.delete(fid);
    else volume.all.set(fid, order);
    volume.revision += 1;
    volume.group = group;
  }

  /** What holds for a promise. Of a volume it is `shared` as soon as anything in it is: nobody has the whole for its own then. */
  holdingFor(key: SubjectKey): SharingOrder | null {
    if (typeof key === 'string') return this.get(key);
    const { all } = this.of(key);
    if ([...all.values()].includes('shared')) return 'shared';
    return all.get(rootOf(key)) ?? null;
  }
}
