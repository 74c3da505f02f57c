/** Adjustments that are still to be carried out: until then the feed's rows of what they concern must wait. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Adjustment } from '../../../../shared/ports/feed.ts';
import { placeKey } from '../records/folder-records.ts';

export class Asked {
  readonly #fids = new Set<Fid>();
  readonly #places = new Set<string>();

  constructor(adjustments: readonly Adjustment[]) {
    for (const adjustment of adjustments) {
      this.#fids.add(adjustment.fid);
      switch (adjustment.kind) {
        case 'copied':
          this.#fids.add(adjustment.copy);
          this.#places.add(placeKey(adjustment.to.dir, adjustment.to.name));
          break;
        case 'renamed':
          this.#places.add(placeKey(adjustment.from.dir, adjustment.from.name));
          this.#places.add(placeKey(adjustment.to.dir, adjustment.to.name));
          break;
        case 'merged':
          this.#fids.add(adjustment.into);
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
