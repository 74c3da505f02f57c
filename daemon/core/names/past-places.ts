/**
 * Where vnodes were that have no name here any more. A status may be here longer than the names of its vnode: so a program may write to a file that
 * it had found before, and what it writes wins over the removal (rule C3). It is called then what it was called last.
 *
 * It is kept in memory alone. What is written while the daemon runs has its place in the log; and after a restart a program has
 * nothing open, and finds files by the names that there are.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Place } from '../../../shared/ports/file-system.ts';

/** Who waits to write waits for a few uploads; thousands of files may be removed in that time. */
const MOST_KEPT = 10_000;

/** A place, and the directories above it, innermost first. */
export interface Origin {
  readonly place: Place;
  readonly ancestors: readonly Fid[];
  /** Their names, as far as they are known; a root has none. */
  readonly above: readonly string[];
}

/**
 * Remembers the last place of vnodes that have no name any more; at most MOST_KEPT, the oldest go
 * first.
 */
export class PastPlaces {
  readonly #places = new Map<Fid, Place>();

  get(fid: Fid): Place | undefined {
    return this.#places.get(fid);
  }

  /** The vnode has lost its last name, at this place. */
  left(fid: Fid, place: Place): void {
    this.#places.delete(fid);
    this.#places.set(fid, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MOST_KEPT && oldest !== undefined) this.#places.delete(oldest);
  }

  clear(): void {
    this.#places.clear();
  }
}
