/** The files whose contents moved last, as the status tells of them. */
import type { RecentFile } from '../../../shared/control/snapshot.ts';
import { volumeOf } from '../../../shared/model/fid.ts';
import { isoTime } from '../../../shared/model/conflict-name.ts';
import type { ClientState } from '../state.ts';
import { pathOf, viewPlaces } from '../log/view.ts';

/** Newest first, by the names they have now; what has none any more is left out. */
export function recentFiles(state: ClientState): RecentFile[] {
  return state.cache.recent.all().flatMap(([fid, { how, when }]) => {
    const place = viewPlaces(state, fid)[0];
    const volume = state.names.volumes.get(volumeOf(fid))?.row.info.name;
    if (place === undefined || volume === undefined) return [];
    return [{ volume, path: pathOf(state, place), how, when: isoTime(when) }];
  });
}
