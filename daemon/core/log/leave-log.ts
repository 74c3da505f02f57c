/**
 * An update leaves the log. The name that it gave may have been known from it alone: a folder that is gone, or whose listing is not here, has no entry
 * of it (names/past-places.ts).
 */
import type { ClientState } from '../state.ts';
import { viewPlaces } from './view.ts';
import { effectsOf } from './update-index.ts';
import type { LoggedUpdate } from './update-log.ts';

/**
 * Removes an update from the log, and remembers the last place of a vnode that has lost all names.
 */
export function leaveLog(state: ClientState, entry: LoggedUpdate): void {
  state.log.remove(entry);
  for (const { dir, name, fid } of effectsOf(entry.update)) {
    if (fid !== null && viewPlaces(state, fid).length === 0) {
      state.names.directories.past.left(fid, { dir, name });
    }
  }
}
