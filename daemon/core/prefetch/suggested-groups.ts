/** What the access monitor suggests, with names for people. */
import type { SuggestedGroup } from '../../../shared/control/groups.ts';
import { groupOf } from '../../../shared/model/file-group.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import { pathOf, viewPlaces, viewStatus } from '../log/view.ts';

/**
 * Lists the suggested groups with the paths of their files. Files that are gone or have a group are
 * left out.
 */
export function suggestedGroups(state: ClientState): SuggestedGroup[] {
  const isTaken = (fid: Fid): boolean => {
    const status = viewStatus(state, fid);
    return status === undefined || status.links === 0 || groupOf(status) !== null;
  };
  return state.prefetch.accesses.suggestions(isTaken).flatMap(({ files, times }) => {
    const [first] = files;
    const volume = first === undefined ? undefined : state.names.volumes.get(volumeOf(first));
    if (volume === undefined) return [];
    const named = files.map((fid) => ({ fid, path: pathTo(state, fid) }));
    return [{ volume: volume.row.info.name, files: named, times }];
  });
}

function pathTo(state: ClientState, fid: Fid): string | null {
  const [place] = viewPlaces(state, fid);
  return place === undefined ? null : `/${pathOf(state, place)}`;
}
