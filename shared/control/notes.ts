/** Codes of the status that a reader treats apart, without the table of all errors. */
import type { ErrorCode } from '../wire/error-codes.ts';

/** What is told for the sake of completeness: nothing is wrong, or it is as somebody wanted it. */
export const NOTE_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'special-file',
  'put-aside',
  'placeholder-copied',
  'attributes-left',
  'rights-dropped',
  'looked-at',
  'disk-limits',
  'disk-lacks',
  'name-refused',
]);

/** Many removals wait until somebody says whether they are meant. */
export const REMOVALS_HELD: ErrorCode = 'removals-held';
