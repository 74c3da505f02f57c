/** The synced folder that a place of this machine is in, whosever it is. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MARKER_FILE, OWN_DIRECTORY } from '../../../shared/control/marker.ts';

/** The innermost one, by its marker; null: none. */
export function syncedFolderOf(path: string): string | null {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(join(at, OWN_DIRECTORY, MARKER_FILE))) return at;
    if (at === dirname(at)) return null;
  }
}
