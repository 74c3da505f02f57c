/**
 * What was moved in a directory that is not known here (any more), and is offered under a name of its own (nameless.ts): the log still says
 * where it was moved to. It is moved there from its own name. Pure.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { madeBy } from '../log/view.ts';
import { recoveredName } from './tree.ts';

/** Of a vnode: it says only where it is, not what is in it, nor that it is gone. */
export function isOfItsPlace(update: Update, fid: Fid): boolean {
  return (
    update.op === 'setattr' ||
    ((update.op === 'rename' || update.op === 'link') && update.fid === fid)
  );
}

/** Translates the source of queued renames whose vnode is offered under a recovered name. */
export class RecoveredMoves {
  readonly #places = new Map<Fid, Place>();

  constructor(offers: readonly Update[]) {
    for (const offer of offers) {
      if (madeBy(offer) === null || !('dir' in offer)) continue;
      const { fid, dir, name } = offer;
      if (name === recoveredName(fid)) this.#places.set(fid, { dir, name });
    }
  }

  /** The same update from where its vnode is now. Queued updates come here in their order. */
  from(update: Update): Update {
    if (update.op !== 'rename') return update;
    const place = this.#places.get(update.fid);
    if (place === undefined) return update;
    this.#places.delete(update.fid);
    return { ...update, fromDir: place.dir, fromName: place.name };
  }
}
