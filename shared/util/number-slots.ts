/**
 * Gives small numbers to ids that come and go, so that what is kept of each can lie in typed arrays. The number of an id that has
 * ended is used again. It is an open hash table in typed arrays, since a Map makes a new table after some removals.
 *
 * Invariants
 * 1. Two ids that are in it at the same time have different numbers.
 * 2. A number is below `size`, and `size` only grows: it is the most ids that were in it at the same time.
 * 3. An id lies at its place, or at the next free one after it: between the two no place is empty. Half of the places are empty at least.
 */
const FIRST_PLACES = 64;
const EMPTY = -1;

/** A table from ids, which are whole numbers, to small numbers. */
export class NumberSlots {
  #ids = new Float64Array(FIRST_PLACES);
  #slots = new Int32Array(FIRST_PLACES).fill(EMPTY);
  readonly #free: number[] = [];
  #size = 0;
  #used = 0;

  /** How many numbers were ever in use. */
  get size(): number {
    return this.#size;
  }

  /** How many ids are in it now. */
  get used(): number {
    return this.#used;
  }

  /** The number of a new id. An id that is in it keeps its number. */
  take(id: number): number {
    const known = this.of(id);
    if (known !== EMPTY) return known;
    if (2 * (this.#used + 1) > this.#slots.length) this.#grow();
    const slot = this.#free.pop() ?? this.#size++;
    this.#put(id, slot);
    this.#used += 1;
    return slot;
  }

  /** The number of an id; -1: it is not in it. */
  of(id: number): number {
    return this.#slots[this.#placeOf(id)] ?? EMPTY;
  }

  /** The id has ended. Gives the number that it had; -1: it was not in it. */
  release(id: number): number {
    const place = this.#placeOf(id);
    const slot = this.#slots[place] ?? EMPTY;
    if (slot === EMPTY) return EMPTY;
    this.#empty(place);
    this.#free.push(slot);
    this.#used -= 1;
    return slot;
  }

  /** Where the id lies, or would. */
  #placeOf(id: number): number {
    const mask = this.#slots.length - 1;
    let place = id & mask;
    while (this.#slots[place] !== EMPTY && this.#ids[place] !== id) place = (place + 1) & mask;
    return place;
  }

  #put(id: number, slot: number): void {
    const place = this.#placeOf(id);
    this.#ids[place] = id;
    this.#slots[place] = slot;
  }

  /** Those behind it that would not be found any more come nearer (invariant 3). */
  #empty(place: number): void {
    const mask = this.#slots.length - 1;
    let hole = place;
    for (let next = (hole + 1) & mask; this.#slots[next] !== EMPTY; next = (next + 1) & mask) {
      const wanted = (this.#ids[next] ?? 0) & mask;
      if (((next - wanted) & mask) < ((next - hole) & mask)) continue;
      this.#ids[hole] = this.#ids[next] ?? 0;
      this.#slots[hole] = this.#slots[next] ?? EMPTY;
      hole = next;
    }
    this.#slots[hole] = EMPTY;
  }

  #grow(): void {
    const [ids, slots] = [this.#ids, this.#slots];
    this.#ids = new Float64Array(2 * ids.length);
    this.#slots = new Int32Array(2 * slots.length).fill(EMPTY);
    for (const [place, slot] of slots.entries())
      if (slot !== EMPTY) this.#put(ids[place] ?? 0, slot);
  }
}

/** The same numbers in an array that has room for `size` of them. */
export function grown(values: Float64Array<ArrayBuffer>, size: number): Float64Array<ArrayBuffer> {
  if (size <= values.length) return values;
  const larger = new Float64Array(Math.max(size, 2 * values.length));
  larger.set(values);
  return larger;
}
