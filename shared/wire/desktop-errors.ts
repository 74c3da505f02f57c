/** Errors of the window, the tray and the desktop around them; with all others in error-codes.ts. */
import { entry, type ErrorEntry } from './error-entry.ts';

export const DESKTOP_ERRORS = {
  'page-missing': entry(
    'permanent',
    'the page is not a part of this installation',
    'in a clone: `npm run setup`; else install the program again',
  ),
  'page-signed-out': entry(
    'permanent',
    'this window may not use the page any more: its address was used before, or is too old',
    '`godwit ui` opens a new one',
  ),
  'no-desktop': entry(
    'permanent',
    'there is no desktop here that could open it',
    'open it in the folder itself',
  ),
  'no-electron': entry(
    'permanent',
    'there is no Electron here to show the tray with',
    'install it (`npm install --global electron`, or the package of your system), or use `godwit ui`',
  ),
} as const satisfies Record<string, ErrorEntry>;
