/** Errors of mount points and of folders that are not kept here; with all others in error-codes.ts. */
import { entry, type ErrorEntry } from './error-entry.ts';

export const MOUNT_ERRORS = {
  'other-volume': entry(
    'permanent',
    'the two are in different volumes, and nothing is moved from one to the other at once',
    'copy it, and remove it where it was when the copy is there',
  ),
  'place-excluded': entry(
    'permanent',
    'something stands at the place of a folder that this laptop does not keep, and is not synced',
    'give it another name to have it synced; or `godwit include` the folder, and it is synced with what others have there',
  ),
  'already-excluded': entry(
    'permanent',
    'the folder is not kept on this laptop already',
    'see `godwit excluded`; `godwit include PATH` brings it back',
  ),
  'not-excluded': entry(
    'permanent',
    'nobody has excluded the folder here',
    'see `godwit excluded` for those that are',
  ),
} as const satisfies Record<string, ErrorEntry>;
