/** Where what is queued is, for people: in the view, or where it was when it was logged. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import { pathOf, viewPlaces } from '../view.ts';
import type { LoggedUpdate } from './update-log.ts';

export function queuePath(state: ClientState, entry: LoggedUpdate): string {
  const { fid } = entry.update;
  const place = viewPlaces(state, fid)[0] ?? entry.place;
  return place === null ? fid : pathOf(state, place);
}

export function isAtOrUnder(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** What is unanswered of what is at a path of a volume, or under it, in the order of the log. */
export function queuedAt(state: ClientState, volume: number, folder: string): LoggedUpdate[] {
  const found: LoggedUpdate[] = [];
  const known = new Map<Fid, boolean>();
  for (const entry of state.log.all()) {
    if (entry.state === 'answered' || entry.volume !== volume) continue;
    const { fid } = entry.update;
    const isIn = known.get(fid) ?? isAtOrUnder(queuePath(state, entry), folder);
    // A vnode that has no name in the view has none of its own: each update of it says where it was.
    if (viewPlaces(state, fid).length > 0) known.set(fid, isIn);
    if (isIn) found.push(entry);
  }
  return found;
}
