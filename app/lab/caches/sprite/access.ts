/** What programs do to files, as the study of block caches takes it (Nelson, Welch and Ousterhout 1988, section 5). */

interface At {
  /** Seconds since the beginning. */
  readonly at: number;
  /** The user: each has a workstation of their own. */
  readonly client: number;
  readonly file: number;
}

export type Access =
  | (At & { readonly does: 'open'; readonly isWriting: boolean })
  | (At & { readonly does: 'close'; readonly isWriting: boolean })
  | (At & { readonly does: 'read' | 'write'; readonly block: number })
  | (At & { readonly does: 'remove' });

/** Blocks of a file are numbered below this. */
export const MOST_BLOCKS = 1024;
/** Section 2: caches are of blocks of 4 KB. */
export const BLOCK_BYTES = 4096;
