/** Errors of dumps of volumes; with all others in error-codes.ts. */
import { entry, type ErrorEntry } from './error-entry.ts';

export const DUMP_ERRORS = {
  'not-a-dump': entry(
    'permanent',
    'that file is no dump of a volume',
    'give a file that `godwit server volume dump` has written',
  ),
  'newer-dump': entry(
    'permanent',
    'the dump was written by a newer version of Godwit',
    'update Godwit on this machine, then load it again',
  ),
  'damaged-dump': entry(
    'permanent',
    'the dump is damaged or cut short',
    'nothing of it was loaded: copy the file again, or make another dump',
  ),
} as const satisfies Record<string, ErrorEntry>;
