/**
 * The names of a directory and what they name. A file system that takes several spellings for one name finds an entry by its key; it lists it as it
 * stored it. The order of a listing is that of a number that each entry has, as it is on disks: readers go on after the last one that they saw.
 */
export interface Entry<T> {
  readonly name: string;
  inode: T;
  /** Listings are in the order of this. */
  readonly rank: number;
}

export type ListingOrder = 'hashed' | 'oldest first' | 'newest first';

/** What of a name counts, and as what it is stored. */
export interface NameRules {
  key(name: string): string;
  stored(name: string): string;
}

/** Entries of one directory, in the order of its file system. */
export class DirectoryEntries<T> {
  readonly #rules: NameRules | null;
  readonly #order: ListingOrder;
  readonly #seed: number;
  readonly #byKey = new Map<string, Entry<T>>();
  #made = 0;
  #sorted: Entry<T>[] | null = null;

  /** `rules` null: every text is a name of its own. */
  constructor(rules: NameRules | null, order: ListingOrder, seed: number) {
    this.#rules = rules;
    this.#order = order;
    this.#seed = seed;
  }

  get count(): number {
    return this.#byKey.size;
  }

  get(name: string): Entry<T> | undefined {
    return this.#byKey.get(this.#keyOf(name));
  }

  /** The name is free. */
  add(name: string, inode: T): void {
    const stored = this.#rules?.stored(name) ?? name;
    this.#byKey.set(this.#keyOf(name), { name: stored, inode, rank: this.#rankOf(stored) });
    this.#sorted = null;
  }

  /** As it was: with its spelling, and in its place of the order. */
  restore(entry: Entry<T>): void {
    this.#byKey.set(this.#keyOf(entry.name), entry);
    this.#sorted = null;
  }

  remove(name: string): void {
    this.#byKey.delete(this.#keyOf(name));
    this.#sorted = null;
  }

  /** In the order of a listing. */
  list(): readonly Entry<T>[] {
    this.#sorted ??= [...this.#byKey.values()].sort(before);
    return this.#sorted;
  }

  /** What comes after an entry that may be gone by now, at most so many; null: from the beginning. */
  after(last: Entry<T> | null, most: number): readonly Entry<T>[] {
    const all = this.list();
    if (last === null) return all.slice(0, most);
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(all[middle] as Entry<T>, last) <= 0) low = middle + 1;
      else high = middle;
    }
    return all.slice(low, low + most);
  }

  #keyOf(name: string): string {
    return this.#rules?.key(name) ?? name;
  }

  #rankOf(name: string): number {
    this.#made += 1;
    if (this.#order === 'hashed') return hashOf(name, this.#seed);
    return this.#order === 'oldest first' ? this.#made : -this.#made;
  }
}

function before(one: Entry<unknown>, other: Entry<unknown>): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}

function hashOf(name: string, seed: number): number {
  let hash = seed | 0;
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x0100_0193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
