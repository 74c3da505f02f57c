/**
 * The TransferFiles port: files that a transfer makes on its way, and the parts of streams that a break left behind (rule D3).
 *
 * Contract
 * 1. A new path is free, and on the file system of the spool and of the contents, so that files pass between them by rename. What
 *    was made there and is still there at the next start goes.
 * 2. `keep` makes a file durable with its note: bytes first, then the name. When it resolves they are found by `parts`, in this
 *    life or a later one, unless the file was moved away or discarded (a loss of power may take that back). The path of a part
 *    stays the same until it is kept again.
 * 3. A part may be torn after all: who joins it with the rest looks at the digest.
 * 4. `parts` removes what carries no note.
 * 5. `link` gives a file another name, a new path: its bytes are there as long as one of the two is. Neither may be written. Where the
 *    file system has no second names it rejects `disk-failing`.
 * Errors: GodwitError `not-found`, `disk-full`, `disk-failing`.
 */
import type { PartNote } from '../model/part-note.ts';

export interface KeptPart extends PartNote {
  readonly path: string;
  /** Bytes of the stream that are here, from its beginning on. */
  readonly size: number;
}

export interface TransferFiles {
  newPath(): string;
  /** Path of a new file without bytes. */
  makeEmpty(): Promise<string>;
  /** Another name of a file that is no more written to, and may be removed; its path. */
  link(path: string): Promise<string>;
  /** Moves a file, which may be a part, under a note; its new path. */
  keep(path: string, note: PartNote): Promise<string>;
  /** The newest first; of the same moment in code-unit order of their digests. */
  parts(): Promise<KeptPart[]>;
  /** Removes a file; that it is gone already is fine. */
  discard(path: string): Promise<void>;
}
