/** Which rows of what waits are shown to a person: the same in the window and by `godwit status`. */
import type { StatusSnapshot, WaitingStatus } from './snapshot.ts';

/** Rows of what waits: a status stays readable. */
export const MOST_WAITING = 10;

export interface ShownWaiting {
  readonly rows: readonly WaitingStatus[];
  /** How many are not among the rows. */
  readonly more: number;
}

/** A reason that an error states already is left out. */
export function shownWaiting({
  waiting = [],
  errors,
}: Pick<StatusSnapshot, 'waiting' | 'errors'>): ShownWaiting {
  const said = new Set(errors.flatMap(({ path }) => (path === null ? [] : [path])));
  const unsaid = waiting.filter(({ path }) => path === null || !said.has(path));
  const rows = unsaid.slice(0, MOST_WAITING);
  return { rows, more: unsaid.length - rows.length };
}
