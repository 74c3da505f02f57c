/** How a burst of removals knows a file: by its volume and path, since what is there again may be another vnode in another folder. */
import { volumeOf } from '../../../shared/model/fid.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { pathOf } from './view.ts';
import type { ClientState } from '../state.ts';

/** Gives the text that stands for the place, as it is called now. */
export function removedPath(state: ClientState, place: Place): string {
  return `${volumeOf(place.dir)}/${pathOf(state, place)}`;
}
