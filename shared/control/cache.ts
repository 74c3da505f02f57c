/** What came of `pin`, `unpin`, `evict` and `prefetch`. */

/** Why the contents of a file stay, or do not come. */
export interface CacheException {
  /** Inside the volume. */
  readonly path: string;
  /** For people. */
  readonly why: string;
}

export interface CacheReport {
  /** Files that it was about, and the bytes of their contents: those that came, went, or were pinned. */
  readonly files: number;
  readonly bytes: number;
  /** Files that had nothing to be done for. */
  readonly unchanged: number;
  /** The first of those it could not be done for, and how many there are. */
  readonly exceptions: readonly CacheException[];
  readonly failed: number;
}
