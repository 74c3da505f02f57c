/** Errors of user locks; with all others in error-codes.ts. */
import { entry, type ErrorEntry } from './error-entry.ts';

export const LOCK_ERRORS = {
  locked: entry(
    'transient',
    'another laptop has locked it',
    'ask who has it (`godwit locks`), or break the lock: `godwit unlock PATH --break`',
  ),
  'not-locked': entry(
    'permanent',
    'there is no such lock',
    'see `godwit locks` for those there are',
  ),
  'too-many-locks': entry(
    'permanent',
    'too many files of the volume are locked',
    'release some: `godwit unlock PATH`',
  ),
} as const satisfies Record<string, ErrorEntry>;
