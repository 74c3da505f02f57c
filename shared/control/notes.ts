/** Codes of the status that a reader treats apart, without the table of all errors. */
import type { ErrorCode } from '../wire/error-codes.ts';

/** Codes that are no faults: the same as `NOTES` of the error table; a test compares them. */
export const NOTE_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'special-file',
  'put-aside',
  'placeholder-copied',
  'place-excluded',
  'attributes-left',
  'rights-dropped',
  'looked-at',
  'disk-limits',
  'disk-lacks',
  'name-refused',
]);

/** Many removals wait for a person's confirmation. */
export const REMOVALS_HELD: ErrorCode = 'removals-held';
