/** The orders of a folder's entries: made when they are first asked for, and again when the listing is another one. Pure. */
import { parseFid, type Fid } from '../../../shared/model/fid.ts';
import { compareNaturally } from '../../../shared/util/natural-order.ts';
import { FOLDERS_READ } from '../../limits.ts';
import type { LastRead, Order } from './folder-streaks.ts';

interface Entry extends LastRead {
  readonly vnode: number;
  readonly uniquifier: number;
}

type Comparison = (a: Entry, b: Entry) => number;
type Orders = Readonly<Record<Order, readonly Entry[]>>;

export interface Listing {
  readonly dir: Fid;
  /** Another text for another listing. */
  readonly edition: string;
  readonly entries: () => ReadonlyArray<readonly [string, Fid]>;
}

const COMPARISONS: Readonly<Record<Order, Comparison>> = {
  names: (a, b) => compareNaturally(a.name, b.name),
  made: (a, b) => a.vnode - b.vnode || a.uniquifier - b.uniquifier,
};

/** Caches the sorted entries of folders for read-ahead. */
export class FolderOrders {
  /** The last is the one that was asked for last. */
  readonly #known = new Map<Fid, { readonly edition: string; readonly orders: Orders }>();

  /** What comes after that one in the folder, which may have gone: its place in the order is known all the same. */
  *after(listing: Listing, order: Order, last: LastRead): Generator<Fid, void, undefined> {
    const entries = this.#ordersOf(listing)[order];
    const compare = COMPARISONS[order];
    const from = entryOf(last.name, last.fid);
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(entries[middle] as Entry, from) > 0) high = middle;
      else low = middle + 1;
    }
    for (; low < entries.length; low++) yield (entries[low] as Entry).fid;
  }

  #ordersOf({ dir, edition, entries }: Listing): Orders {
    const known = this.#known.get(dir);
    const orders = known?.edition === edition ? known.orders : ordersOf(entries());
    this.#known.delete(dir);
    this.#known.set(dir, { edition, orders });
    const [oldest] = this.#known.keys();
    if (this.#known.size > FOLDERS_READ && oldest !== undefined) this.#known.delete(oldest);
    return orders;
  }
}

function ordersOf(listed: ReadonlyArray<readonly [string, Fid]>): Orders {
  const entries = listed.map(([name, fid]) => entryOf(name, fid));
  return {
    names: [...entries].sort(COMPARISONS.names),
    made: [...entries].sort(COMPARISONS.made),
  };
}

function entryOf(name: string, fid: Fid): Entry {
  const { vnode, uniquifier } = parseFid(fid) ?? { vnode: 0, uniquifier: 0 };
  return { name, fid, vnode, uniquifier };
}
