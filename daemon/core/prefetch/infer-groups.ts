/**
 * Groups inferred from what is used together: opens with no long pause between them are one spell of work, and files that were together in
 * more than one of them are worth having together. (MFS leaves hints to others and names clustering of accesses, section 4.)
 *
 * Nothing of it outlives the daemon. What a person keeps of it is an ordinary file group, marked as inferred.
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { elapsed, type Instant } from '../../../shared/model/time.ts';
import { LEAST_TOGETHER, MOST_IN_SPELL, MOST_SPELLS, SPELL_PAUSE } from '../../limits.ts';

export interface Suggestion {
  /** In the order in which they were used last. */
  readonly files: readonly Fid[];
  /** In so many spells of work. */
  readonly times: number;
}

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
    const together = new Map<string, { files: Fid[]; times: number }>();
    for (const fid of new Set(this.#spells.flatMap((spell) => [...spell]))) {
      if (has(fid)) continue;
      const spells = this.#spells.flatMap((spell, index) => (spell.has(fid) ? [index] : []));
      if (spells.length < 2) continue;
      // Files with the same spells belong together; those of another volume do not.
      const key = `${volumeOf(fid)} ${spells.join()}`;
      const cluster = together.get(key) ?? { files: [], times: spells.length };
      cluster.files.push(fid);
      together.set(key, cluster);
    }
    const found = [...together.values()].filter(({ files }) => files.length >= LEAST_TOGETHER);
    return found.sort((a, b) => b.times - a.times || b.files.length - a.files.length);
  }
}
