/**
 * Files that were removed one shortly after the other, counted for a person: much that goes at once may not be meant. What can be told of
 * is durable (kept-removals.ts), so a restart tells of it again. What was removed can be brought back all the same (docs/guide/history.md).
 *
 * Which files are still gone is known by their paths: what is there again, by whatever way, is counted no more.
 */
import { after, type Instant, type WallTime } from '../../../shared/model/time.ts';
import {
  MANY_REMOVED,
  MOST_REMOVED_PATHS,
  REMOVAL_GAP,
  REMOVED_SHARE,
  SOME_REMOVED,
} from '../../limits.ts';
import type { Now } from '../events.ts';

export interface ManyRemoved {
  /** Those that are not there again. */
  readonly files: number;
  /** When the first of them was. */
  readonly since: WallTime;
}

/** A burst as it outlives the daemon. `gone`: the paths; null: they are too many to be kept. */
export interface StoredBurst {
  readonly files: number;
  readonly most: number;
  readonly since: WallTime;
  readonly known: number;
  readonly gone: readonly string[] | null;
}

/** Counts removals of files; a burst ends when nothing is removed for a while. */
export class RemovalBurst {
  #files = 0;
  #since: WallTime | null = null;
  #last: Instant | null = null;
  /** Vnodes that were known when it began. */
  #known = 0;
  /** Paths that are still gone; null: they are too many. */
  #gone: Set<string> | null = new Set();
  /** How many were gone at once. */
  #most = 0;

  /** One more is removed. `known`: how many vnodes there are. */
  note(now: Now, known: number, path: string): void {
    if (!this.goesOn(now)) {
      this.#files = 0;
      this.#most = 0;
      this.#gone = new Set();
      this.#since = now.wall;
      this.#known = known;
    }
    this.#files += 1;
    this.#last = now.at;
    this.#gone?.add(path);
    if (this.#gone !== null && this.#gone.size > MOST_REMOVED_PATHS) this.#gone = null;
    this.#most = Math.max(this.#most, this.#left);
  }

  /** Something is at the path again. True: it was one of them. */
  back(path: string): boolean {
    return this.#gone?.delete(path) ?? false;
  }

  get #left(): number {
    return this.#gone?.size ?? this.#files;
  }

  /** What is removed now belongs to it. */
  goesOn({ at }: Now): boolean {
    return this.#last !== null && at <= after(this.#last, REMOVAL_GAP);
  }

  /** Of the last burst. */
  get files(): number {
    return this.#files;
  }

  /** The last burst, if a person should know of it; null: there is none, or all of it is there again. */
  many(): ManyRemoved | null {
    const isMany =
      this.#most >= MANY_REMOVED ||
      (this.#most >= SOME_REMOVED && this.#most > REMOVED_SHARE * this.#known);
    if (!isMany || this.#since === null || this.#left === 0) return null;
    return { files: this.#left, since: this.#since };
  }

  /** What is kept of it; null: there is nothing to tell of. `mostPaths`: with more, they are left out. */
  stored(mostPaths: number): StoredBurst | null {
    const since = this.#since;
    if (since === null || this.many() === null) return null;
    const gone = this.#gone === null || this.#gone.size > mostPaths ? null : [...this.#gone];
    return { files: this.#files, most: this.#most, since, known: this.#known, gone };
  }

  /** As the run before left it: what is removed now begins another one. */
  load({ files, most, since, known, gone }: StoredBurst): void {
    this.#files = files;
    this.#most = most;
    this.#since = since;
    this.#known = known;
    this.#gone = gone === null ? null : new Set(gone);
  }
}
