/** The errors of a status, sorted for the page: faults, notes, and whether removals wait for a decision. */
import { NOTE_CODES, REMOVALS_HELD } from '../../../shared/control/notes.ts';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';

export interface Problems {
  readonly errors: readonly ErrorStatus[];
  readonly notes: readonly ErrorStatus[];
  /** Much was removed at once, and nobody has said whether that is meant. */
  readonly guards: boolean;
}

/**
 * Sorts the errors of a status into faults, notes, and whether the mass-delete guard holds
 * removals.
 */
export function problemsOf(all: readonly ErrorStatus[]): Problems {
  return {
    errors: all.filter((error) => !isNote(error) && error.code !== REMOVALS_HELD),
    notes: all.filter(isNote),
    guards: all.some(({ code }) => code === REMOVALS_HELD),
  };
}

export const isNote = ({ code }: ErrorStatus): boolean => NOTE_CODES.has(code);

/** Of the tab: what a person can do something about. */
export const problemCount = ({ errors, guards }: Problems): number =>
  errors.length + (guards ? 1 : 0);
