/**
 * How many things each owner has, and in which places: for limits that hold for an owner as a whole while the things are kept by place.
 *
 * Invariants
 * 1. The total of an owner is the sum over its places, and none of them is below zero.
 * 2. A place without things, and an owner without places, takes no memory.
 */
import { assert } from './assert.ts';

export class CountsByOwner<Owner, Place> {
  readonly #places = new Map<Owner, Map<Place, number>>();
  readonly #totals = new Map<Owner, number>();
  #sum = 0;

  /** Over all owners and places. */
  get sum(): number {
    return this.#sum;
  }

  /** The owner has `by` things more there; less where `by` is below zero. */
  add(owner: Owner, place: Place, by: number): void {
    const places = this.#places.get(owner) ?? new Map<Place, number>();
    const count = (places.get(place) ?? 0) + by;
    const total = this.total(owner) + by;
    assert(count >= 0, 'nobody has less than nothing', { count });
    this.#sum += by;
    if (count === 0) places.delete(place);
    else places.set(place, count);
    if (places.size === 0) this.#places.delete(owner);
    else this.#places.set(owner, places);
    if (total === 0) this.#totals.delete(owner);
    else this.#totals.set(owner, total);
  }

  /** Over all places. */
  total(owner: Owner): number {
    return this.#totals.get(owner) ?? 0;
  }

  /** Where the owner has something, in the order in which it came to have something there. */
  placesOf(owner: Owner): Place[] {
    return [...(this.#places.get(owner)?.keys() ?? [])];
  }

  /** The owners with a count above 0, in the order in which they got it. */
  owners(): Owner[] {
    return [...this.#totals.keys()];
  }
}
