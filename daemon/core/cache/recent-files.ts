/** The files whose contents moved last, for people: sent by this laptop, or come from others. In memory: it is no history. */
import type { RecentFile } from '../../../shared/control/snapshot.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { MOST_RECENT } from '../../limits.ts';

interface Recent {
  readonly how: RecentFile['how'];
  readonly when: WallTime;
}

/** Remembers the MOST_RECENT files whose contents were sent or received last, newest first. */
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
