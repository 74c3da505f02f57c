/** Codes of the status that a reader treats apart, without the table of all errors. */
import type { ErrorCode } from '../wire/error-codes.ts';

/** Nothing is wrong, or it is as somebody wanted it: as `NOTES` of the table, which a test holds against this. */
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
