/** Folders that a person does not keep on this laptop, and what of them is on its disk still: answers of `exclude`, `include` and `excluded`. */
import type { Fid } from '../model/fid.ts';

/** What can't go from the disk for now. */
export interface StayingFile {
  /** From the root of the folder. */
  readonly path: string;
  readonly reason: string;
}

/** An excluded folder, as far as the folder front end knows it. */
export interface ExcludedHere {
  readonly fid: Fid;
  /** Names below the root of the folder; null: it is not known here (any more). */
  readonly path: readonly string[] | null;
  /** Names of it that are on the disk still, with its own. */
  readonly left: number;
  /** As many as are worth telling. */
  readonly staying: readonly StayingFile[];
}

/** All that are excluded, in the order of their paths. */
export interface ExcludedReport {
  readonly folders: readonly ExcludedHere[];
}
