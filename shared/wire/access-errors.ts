/** Errors of access lists and teams; with all others in error-codes.ts. */
import { entry, type ErrorEntry } from './error-entry.ts';

export const ACCESS_ERRORS = {
  'not-administrator': entry(
    'permanent',
    'you may not change that',
    'ask somebody who may: `godwit access` and `godwit team ls` name them',
  ),
  'last-administrator': entry(
    'permanent',
    'nobody would be left who may change who may use a volume',
    'first give it to somebody else: `godwit access give NAME admin`',
  ),
  'team-ring': entry(
    'permanent',
    'a team would be in itself, or too many would be in one another',
    'see who is in which with `godwit team ls NAME`',
  ),
} as const satisfies Record<string, ErrorEntry>;
