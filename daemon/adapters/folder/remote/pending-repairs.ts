/** Adjustments that are still to be carried out: until then the feed's rows of what they concern must wait. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { ConflictRepair } from '../../../../shared/ports/feed.ts';
import { placeKey } from '../records/folder-records.ts';

/** Knows the vnodes and names of conflict repairs that are still to be done. */
export class PendingRepairs {
  readonly #fids = new Set<Fid>();
  readonly #places = new Set<string>();

  constructor(repairs: readonly ConflictRepair[]) {
    for (const repair of repairs) {
      this.#fids.add(repair.fid);
      switch (repair.kind) {
        case 'copied':
          this.#fids.add(repair.copy);
          this.#places.add(placeKey(repair.to.dir, repair.to.name));
          break;
        case 'renamed':
          this.#places.add(placeKey(repair.from.dir, repair.from.name));
          this.#places.add(placeKey(repair.to.dir, repair.to.name));
          break;
        case 'merged':
          this.#fids.add(repair.into);
          break;
        case 'restored':
          break;
      }
    }
  }

  concerns(fid: Fid): boolean {
    return this.#fids.has(fid);
  }

  isAt(dir: Fid, name: string): boolean {
    return this.#places.has(placeKey(dir, name));
  }
}
