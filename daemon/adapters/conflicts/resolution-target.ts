/** Who carries a resolution out: programs' operations on the volume, or on the folder, as a person would do it there. */
import type { Attributes } from '../../../shared/ports/file-system.ts';

export interface ResolutionTarget {
  /** Removes the loser, if it is what it was; where `kept` is, something must be. */
  remove(loser: ResolvedPath, kept: ResolvedPath | null): Promise<void>;
  /** `kept` takes the name of the loser, if that is what it was. At no moment is only the loser there. */
  replace(kept: ResolvedPath, loser: ResolvedPath): Promise<void>;
  /** `kept` takes a name that is free. */
  move(kept: ResolvedPath, to: ResolvedPath): Promise<void>;
}

/** A name in the volume, and what the volume has there. */
export interface ResolvedPath {
  readonly names: readonly string[];
  readonly there: Attributes | null;
}
