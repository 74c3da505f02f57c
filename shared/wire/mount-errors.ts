/** Errors of mount points; with all others in error-codes.ts. */
import { entry, type ErrorEntry } from './error-entry.ts';

export const MOUNT_ERRORS = {
  'other-volume': entry(
    'permanent',
    'the two are in different volumes, and nothing is moved from one to the other at once',
    'copy it, and remove it where it was when the copy is there',
  ),
} as const satisfies Record<string, ErrorEntry>;
