/**
 * The StreamFiles port: files of streams on the server's disk. Begun parts of uploads, which outlive the process (rule D3), and temporary files,
 * which do not.
 *
 * Contract
 * 1. `open` is called first, and once: it gives the parts that processes before kept, and removes all other files there. A part whose note can't be
 *    read, or whose file has another length than the note says, is removed and counted: it was torn, or was being added to. It never rejects for what
 *    it finds.
 * 2. `keep` makes a file of the same disk a part: when it resolves, bytes and note survive a crash, and the file lies under the path given. A file
 *    that is a part already gets the new note; until then its old one does not fit.
 * 3. `newPath` is one that is not in use; `makeEmpty` makes a file of no bytes at one, and `moveIn` moves a file of the same disk to one. `discard`
 *    does nothing where there is no file.
 * 4. `readParts` reads a file of the same disk in parts of these lengths, each with its digest, and leaves it. It rejects `length-mismatch` where the
 *    file has another length than all of them.
 * 5. Methods may run side by side. Errors: GodwitError `disk-full`, `disk-failing`.
 */
import type { VolumeId } from '../model/fid.ts';
import type { WallTime } from '../model/time.ts';

export interface PartNote {
  /** The device's. */
  readonly fingerprint: string;
  /** Whose contents it tells; null: a server kept it that did not note that. */
  readonly volume: VolumeId | null;
  /** Digest and length of the whole stream. */
  readonly digest: string;
  readonly length: number;
  /** How much of it is here. */
  readonly kept: number;
  readonly when: WallTime;
}

export interface KeptPart extends PartNote {
  readonly path: string;
}

/** One of several short contents that came in one file. */
export interface ContentPart {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

export interface StreamFiles {
  open(): Promise<{ readonly parts: readonly KeptPart[]; readonly damaged: number }>;
  keep(path: string, note: PartNote): Promise<string>;
  newPath(): string;
  makeEmpty(): Promise<string>;
  moveIn(path: string): Promise<string>;
  discard(path: string): Promise<void>;
  readParts(path: string, lengths: readonly number[]): Promise<ContentPart[]>;
}
