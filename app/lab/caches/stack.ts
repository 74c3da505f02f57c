/**
 * LRU caches of all sizes in one pass (the stack algorithm: Mattson and others 1970; with invalidations: Hill 1987). An
 * entry hits in each cache that is larger than the number of places above it.
 *
 * Invariants
 * 1. A place is an entry or a hole. An entry that is taken out leaves a hole: caches that had it have room now.
 * 2. What comes to the top from below a hole, or from nowhere, fills the hole nearest to the top. The place it left
 *    becomes the hole: caches that reach so far have their room still.
 */
import { Heap } from '../../../shared/util/heap.ts';

/** Where an entry was: the number of places above it. `null`: it is not in the stack. */
export type Depth = number | null;

export class LruStack {
  readonly #places = new Places();
  readonly #placeOf = new Map<number, number>();
  /** The newest place first; those that are holes no more are dropped when they come up. */
  readonly #holes = new Heap<number>((a, b) => b - a);
  readonly #isHole = new Set<number>();
  readonly #usedAt = new Map<number, number>();

  get size(): number {
    return this.#placeOf.size;
  }

  depth(key: number): Depth {
    const place = this.#placeOf.get(key);
    return place === undefined ? null : this.#places.above(place);
  }

  /** Puts it on top. Returns where it was. `now` is kept for `idle`. */
  use(key: number, now = 0): Depth {
    const place = this.#placeOf.get(key);
    const depth = place === undefined ? null : this.#places.above(place);
    const hole = this.#newestHole();
    if (hole !== undefined && (place === undefined || hole > place)) {
      this.#isHole.delete(hole);
      this.#places.remove(hole);
      if (place !== undefined) this.#makeHole(place);
    } else if (place !== undefined) this.#places.remove(place);
    this.#placeOf.set(key, this.#places.add());
    this.#usedAt.set(key, now);
    if (this.#places.isSparse) this.#closeUp();
    return depth;
  }

  /** Takes it out. Returns where it was. */
  invalidate(key: number): Depth {
    const place = this.#placeOf.get(key);
    if (place === undefined) return null;
    const depth = this.#places.above(place);
    this.#placeOf.delete(key);
    this.#usedAt.delete(key);
    this.#makeHole(place);
    return depth;
  }

  /** When it was put on top last. */
  usedAt(key: number): number | undefined {
    return this.#usedAt.get(key);
  }

  /** Forgets entries below a place that were not used since; without holes, for no cache of interest reaches so far. */
  prune(below: number, since: number): void {
    for (const [key, used] of this.#usedAt) {
      if (used >= since || (this.depth(key) ?? 0) < below) continue;
      this.#places.remove(this.#placeOf.get(key) as number);
      this.#placeOf.delete(key);
      this.#usedAt.delete(key);
    }
  }

  #makeHole(place: number): void {
    this.#isHole.add(place);
    this.#holes.push(place);
  }

  #newestHole(): number | undefined {
    for (let top = this.#holes.peek(); top !== undefined; top = this.#holes.peek()) {
      if (this.#isHole.has(top)) return top;
      this.#holes.pop();
    }
    return undefined;
  }

  /** Places are numbered on and on; now and then from the beginning. */
  #closeUp(): void {
    const entries = [...this.#placeOf].map(([key, place]) => ({ key, place }));
    const holes = [...this.#isHole].map((place) => ({ key: null, place }));
    const all = [...entries, ...holes].sort((a, b) => a.place - b.place);
    this.#places.clear();
    this.#isHole.clear();
    while (this.#holes.pop() !== undefined);
    for (const { key } of all) {
      const place = this.#places.add();
      if (key === null) this.#makeHole(place);
      else this.#placeOf.set(key, place);
    }
  }
}

/** How many places there are above one: a binary indexed tree (Fenwick 1994) that grows. */
class Places {
  #sums = new Int32Array(1024);
  #next = 1;
  #count = 0;

  /** More numbers than places by far. */
  get isSparse(): boolean {
    return this.#next > 4096 && this.#next > 4 * this.#count;
  }

  /** A new place on top; its number. */
  add(): number {
    if (this.#next >= this.#sums.length) this.#grow();
    const place = this.#next++;
    this.#change(place, 1);
    return place;
  }

  remove(place: number): void {
    this.#change(place, -1);
  }

  above(place: number): number {
    let upTo = 0;
    for (let at = place; at > 0; at -= at & -at) upTo += this.#sums[at] as number;
    return this.#count - upTo;
  }

  clear(): void {
    this.#sums.fill(0);
    this.#next = 1;
    this.#count = 0;
  }

  #change(place: number, by: number): void {
    this.#count += by;
    for (let at = place; at < this.#sums.length; at += at & -at) {
      this.#sums[at] = (this.#sums[at] as number) + by;
    }
  }

  #grow(): void {
    const old = this.#sums;
    const values = new Int32Array(old.length);
    for (let at = 1; at < old.length; at++) {
      values[at] = (values[at] as number) + (old[at] as number);
      const below = at + (at & -at);
      if (below < old.length) values[below] = (values[below] as number) - (old[at] as number);
    }
    this.#sums = new Int32Array(2 * old.length);
    for (let at = 1; at < old.length; at++) {
      const value = values[at] as number;
      if (value === 0) continue;
      for (let up = at; up < this.#sums.length; up += up & -up) {
        this.#sums[up] = (this.#sums[up] as number) + value;
      }
    }
  }
}
