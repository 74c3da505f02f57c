/**
 * A name that our vnode could not have, and what was done to that name afterwards: it was done to our vnode, so it follows to the
 * place where that is now. A file saved many times by renames over it (editors' safe saves) becomes one copy, as it was saved last.
 *
 * Updates are shown to it in the order in which they were logged.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { replaced } from '../log/rewrite.ts';
import { markAt, type MarkedPlace } from './outcome.ts';

/** Rewrites later updates of a lost name so that they apply at the place where our vnode is now. */
export class LostName {
  readonly #from: Place;
  readonly #to: MarkedPlace;
  /** Ours that had the name, one after the other. */
  readonly #had: Fid[];
  #holder: Fid | null;

  constructor(fid: Fid, from: Place, to: MarkedPlace) {
    this.#from = from;
    this.#to = to;
    this.#had = [fid];
    this.#holder = fid;
  }

  /** The vnode of ours that the name would name now; null: none. */
  get holder(): Fid | null {
    return this.#holder;
  }

  get had(): readonly Fid[] {
    return this.#had;
  }

  /** What becomes of an update that waited. */
  follow(update: Update): Update {
    const holder = this.#holder;
    if (holder === null) return update;
    if (update.op === 'rename' && update.over?.fid === holder && this.#isTarget(update)) {
      this.#holder = update.fid;
      this.#had.push(update.fid);
      return { ...update, toDir: this.#to.dir, toName: this.#to.name, ...markAt(this.#to) };
    }
    const moved = replaced(update, holder, this.#from, this.#to);
    if (moved !== update) this.#holder = null;
    return moved;
  }

  #isTarget({ toDir, toName }: Extract<Update, { op: 'rename' }>): boolean {
    return toDir === this.#from.dir && toName === this.#from.name;
  }
}

/** How it ends when all of these have been shown to it. */
export function endOf(
  fid: Fid,
  from: Place,
  to: MarkedPlace,
  updates: ReadonlyArray<{ readonly update: Update }>,
): LostName {
  const name = new LostName(fid, from, to);
  for (const { update } of updates) name.follow(update);
  return name;
}
