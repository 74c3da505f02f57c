/** What a person may say of a conflict, and what the daemon answers: plain data, paths as names from the volume's root. */

import type { ConflictSides } from '../model/conflict-side.ts';
import type { ConflictStatus } from './snapshot.ts';

/** `mine` is what this laptop had, `theirs` what the others have. */
export const SIDES_TO_KEEP = ['mine', 'theirs', 'both'] as const;
export type SideToKeep = (typeof SIDES_TO_KEEP)[number];

/**
 * What a conflict was about. Of the first five both sides are kept; in the others a change of names lost, and no contents with it.
 *
 * - `contents`: others stored first; mine is the copy. `name`: the name was taken; mine has another one.
 * - `removed`, `directory-gone`: others removed the file, or the folder it was put into; mine is there again, or beside.
 * - `contents-lost`: no device or server has the contents any more.
 * - `elsewhere`: another laptop met a conflict, and keeps its side as the copy; mine, or what others here had, is at its place.
 * - `rename-undone`: `path` is the name given here, `copy` where the vnode is, as others have it. `removal-undone`: `path` was removed
 *   here, and stays for others have changed or moved it: it is at `copy`.
 * - `renamed-removed`: what got the name `path` here was removed or replaced by others, at `copy`.
 * - `too-deep`: no conflict with anybody: a volume has no place so deep as `path`; it is further up, at `copy`.
 */
export const CONFLICT_KINDS = [
  'contents',
  'name',
  'removed',
  'directory-gone',
  'contents-lost',
  'elsewhere',
  'rename-undone',
  'removal-undone',
  'renamed-removed',
  'too-deep',
] as const;
export type ConflictKind = (typeof CONFLICT_KINDS)[number];

/** One that is not dealt with, with what it was about; null: nobody can tell any more. */
export interface FoundConflict extends ConflictStatus {
  readonly sides: ConflictSides | null;
}

export interface ResolutionReport {
  readonly id: number;
  readonly keep: SideToKeep;
  readonly volume: string | null;
  /** Where what was kept is now; null: both are where they were, or what was kept is that there is nothing. */
  readonly path: string | null;
  /** Under which path the other one can be restored; null: nothing was removed. */
  readonly removed: string | null;
  /** Why it is not quite what was asked for; null: it is. */
  readonly note: string | null;
}
