/**
 * What users say of who uses which file or folder of a volume (rule S1), in memory as in the store. The daemons resolve what holds for what is in a
 * folder: they know where a file is. Here counts what a promise is given for: a file, a folder, or the volume, by the order of its root.
 *
 * Invariants
 * 1. `revision` is another one after each change, and after a change was taken back; it is 0 as long as there was none, and there are none.
 * 2. An order ends with its vnode, and goes on with what is renamed over that (rule W3; set-sharing.ts).
 */
import { rootOf, volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { OrderedVnode, SharingOrder } from '../../../shared/model/sharing.ts';
import type { SubjectKey } from '../callback/promise-table.ts';

/** Keeps the sharing orders of a volume in memory, with their revision. */
export class SharingOrders {
  readonly #root: Fid;
  readonly #all = new Map<Fid, SharingOrder>();
  #revision = 0;
  #group = 0;

  /** `stored` may name vnodes of other volumes: they are left out. */
  constructor(volume: VolumeId, stored: readonly OrderedVnode[]) {
    this.#root = rootOf(volume);
    for (const { fid, order } of stored) if (volumeOf(fid) === volume) this.put(fid, order, 0);
  }

  get all(): ReadonlyMap<Fid, SharingOrder> {
    return this.#all;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The group of the last change: an answer that shows it waits until that is durable. */
  get group(): number {
    return this.#group;
  }

  get(fid: Fid): SharingOrder | null {
    return this.#all.get(fid) ?? null;
  }

  /** `order` null: there is none any more. */
  put(fid: Fid, order: SharingOrder | null, group: number): void {
    if (order === null) this.#all.delete(fid);
    else this.#all.set(fid, order);
    this.#revision += 1;
    this.#group = group;
  }

  /** What holds for a promise. Of the volume it is `shared` as soon as anything in it is: nobody has the whole for its own then. */
  holdingFor(key: SubjectKey): SharingOrder | null {
    if (typeof key === 'string') return this.get(key);
    if ([...this.#all.values()].includes('shared')) return 'shared';
    return this.#all.get(this.#root) ?? null;
  }
}
