/**
 * Groups inferred from what is used together: opens with no long pause between them are one spell of work, and files that were together in
 * more than one of them are worth having together. (MFS leaves hints to others and names clustering of accesses, section 4.)
 *
 * Which process opened a file is not known here: the port's calls come by the socket of another program, or from a folder that hears of changes alone. A trace knows
 * it (app/lab/trace/process-spells.ts).
 *
 * Nothing of it outlives the daemon. What a person keeps of it is an ordinary file group, marked as inferred.
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { elapsed, type Instant } from '../../../shared/model/time.ts';
import { usedTogether } from '../../../shared/util/used-together.ts';
import { LEAST_TOGETHER, MOST_IN_SPELL, MOST_SPELLS, SPELL_PAUSE } from '../../limits.ts';

export interface Suggestion {
  /** In the order in which they were used last. */
  readonly files: readonly Fid[];
  /** In so many spells of work. */
  readonly times: number;
}

/** Records the opens of recent spells of work, and suggests files to put into a group. */
export class AccessMonitor {
  /** The last one is going on. */
  readonly #spells: Array<Set<Fid>> = [];
  #lastAt: Instant | null = null;

  opened(fid: Fid, at: Instant): void {
    const isNew = this.#lastAt === null || elapsed(this.#lastAt, at) > SPELL_PAUSE;
    this.#lastAt = at;
    if (isNew) this.#spells.push(new Set());
    if (this.#spells.length > MOST_SPELLS) this.#spells.shift();
    const spell = this.#spells.at(-1);
    if (spell !== undefined && spell.size < MOST_IN_SPELL) spell.add(fid);
  }

  /** The most frequent first; no file is in two of them, and none that `has` a group already. */
  suggestions(has: (fid: Fid) => boolean): Suggestion[] {
    // Those of another volume do not belong together.
    const apart = (fid: Fid): string | null => (has(fid) ? null : String(volumeOf(fid)));
    const found = usedTogether(this.#spells, { least: LEAST_TOGETHER, apart });
    return found.map(({ things, times }) => ({ files: things, times }));
  }
}
