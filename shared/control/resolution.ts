/** What a person may say of a conflict, and what the daemon answers: plain data, paths as names from the volume's root. */

/** `mine` is what this laptop had, `theirs` what the others have. */
export const SIDES_TO_KEEP = ['mine', 'theirs', 'both'] as const;
export type SideToKeep = (typeof SIDES_TO_KEEP)[number];

export interface ResolutionReport {
  readonly id: number;
  readonly keep: SideToKeep;
  readonly volume: string | null;
  /** Where what was kept is now; null: both are where they were, or what was kept is that there is nothing. */
  readonly path: string | null;
  /** Under which path the other one can be had back; null: nothing was removed. */
  readonly removed: string | null;
  /** Why it is not quite what was asked for; null: it is. */
  readonly note: string | null;
}
