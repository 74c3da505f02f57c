/** The files whose contents moved last, for people: sent by this laptop, or come from others. In memory: it is no history. */
import type { RecentFile } from '../../../shared/control/snapshot.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { MOST_RECENT } from '../../limits.ts';
import { shownTime } from '../conflict/conflict-name.ts';
import type { ClientState } from '../state.ts';
import { pathOf, viewPlaces } from '../view.ts';

interface Recent {
  readonly how: RecentFile['how'];
  readonly when: WallTime;
}

export class RecentFiles {
  /** The oldest first. */
  readonly #files = new Map<Fid, Recent>();

  note(fid: Fid, how: RecentFile['how'], when: WallTime): void {
    this.#files.delete(fid);
    this.#files.set(fid, { how, when });
    const [oldest] = this.#files.keys();
    if (this.#files.size > MOST_RECENT && oldest !== undefined) this.#files.delete(oldest);
  }

  all(): Array<readonly [Fid, Recent]> {
    return [...this.#files].reverse();
  }
}

/** Newest first, by the names they have now; what has none any more is left out. */
export function recentFiles(state: ClientState): RecentFile[] {
  return state.recent.all().flatMap(([fid, { how, when }]) => {
    const place = viewPlaces(state, fid)[0];
    const volume = state.volumes.get(volumeOf(fid))?.row.info.name;
    if (place === undefined || volume === undefined) return [];
    const at = `${shownTime(when).replace(' ', 'T').replaceAll('.', ':')}Z`;
    return [{ volume, path: pathOf(state, place), how, when: at }];
  });
}
