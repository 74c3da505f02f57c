/**
 * Files that go from a mounted volume, one after the other. A program that removes the directory of a mount point with all that is in it removes no
 * file of the volume (rule M4), and that shows only at its end, when the root of the volume is gone. So a removal is told when nothing more has gone
 * for a while, and the root is there.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { milliseconds, type Instant } from '../../../../shared/model/time.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { FolderLimits } from '../folder-limits.ts';

/** So many times as long as a file that was written is left to settle. */
const SETTLES = 3;

/** Remembers what has gone, and when the last of it went. */
export class GoingFiles {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: Pick<FolderLimits, 'settle'>;
  readonly #gone = new Map<Fid, Instant>();
  #last: Instant | null = null;

  constructor(parts: { clock: Pick<Clock, 'now'>; limits: Pick<FolderLimits, 'settle'> }) {
    this.#clock = parts.clock;
    this.#limits = parts.limits;
  }

  /** It is gone, and so is all that goes with it: nothing has followed for a while. Asked again, it is the same file that is gone. */
  rests(fid: Fid): boolean {
    const now = this.#clock.now();
    const pause = milliseconds(this.#limits.settle * SETTLES);
    const asked = this.#gone.get(fid);
    // It was back in between.
    const isNews = asked === undefined || now - asked > pause * SETTLES;
    if (isNews) {
      // Those of long ago have come back: nobody has asked for them since.
      if (this.#last !== null && now - this.#last > pause * SETTLES) this.#gone.clear();
      this.#last = now;
    }
    this.#gone.set(fid, now);
    if (this.#last !== null && now - this.#last < pause) return false;
    this.#gone.delete(fid);
    return true;
  }
}
