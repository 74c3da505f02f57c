/**
 * The Delta port: contents encoded against others that they resemble, and contents received in more than one piece.
 *
 * A chunk list is how FastCDC (Xia et al., USENIX ATC 2016) cuts some contents: the length and a digest of 128 bits of each
 * chunk, as opaque bytes. A delta is a file that tells contents against a base: ranges of bytes of the base, and new bytes.
 * Who makes one needs the chunk list of the base only; who applies it needs the bytes of the base.
 *
 * Contract
 * 1. `make` and `list` are functions of their input: the same contents and the same base list give the same bytes, on
 *    every machine and in every version that speaks of the same format.
 * 2. Nothing here trusts a delta or a list: what is none, or names bytes that the base does not have, or would make more than
 *    `most` bytes, rejects `damaged-delta`, and nothing is left behind. The digest of the result says whether it is the right one.
 * 3. Files made are new, not synced, and the caller's; `out` must not exist. Input files stay, but for the ones `join` takes; where a
 *    method rejects, all of them are as they were.
 * 4. Work is done off the main thread, in bounded memory; methods may run side by side.
 * 5. Files may change while they are read: then a result may be of neither state, and its digest tells.
 * Errors: GodwitError `damaged-delta`, `disk-full`, `disk-failing`, `not-found` (a file of the input, or bytes of it).
 */

/** Bytes of a file: contents may lie inside a larger one. */
export interface Piece {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

export interface MadeContent {
  /** Lower-case hex BLAKE3-256. */
  readonly digest: string;
  readonly length: number;
}

export interface Delta {
  /** The chunk list of some contents; cut as `like` is (its chunk size), or as fits their length. */
  list(contents: Piece, like: Uint8Array | null): Promise<Uint8Array>;
  /**
   * Writes to `out` the delta that makes `contents` of what has the chunk list `base`, and gives the chunk list of `contents`, cut
   * as `base` is. null: it would be no shorter than three quarters of the contents, and there is no `out`.
   */
  make(
    base: Uint8Array,
    contents: Piece,
    out: string,
  ): Promise<{ readonly delta: MadeContent | null; readonly list: Uint8Array }>;
  /** Writes to `out` what the delta makes of the base, which must have the length of the one it was made against. */
  apply(base: Piece, delta: string, out: string, most: number): Promise<MadeContent>;
  /** Appends the file `rest` to the file `begun` and removes `rest`; digest and length of all of it. */
  join(begun: string, rest: string): Promise<MadeContent>;
}
