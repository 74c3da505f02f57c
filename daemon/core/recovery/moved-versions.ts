/**
 * What the versions of a lost part are called from now on (rule I1): the one a vnode had here takes the number that its offer will have, and what is
 * queued keeps its line: a save over another queued save stays over that one under their new numbers. So numbers are never pushed together at zero,
 * where two saves over the same version would take the later one for a repetition.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import { dataVersion, type DataVersion } from '../../../shared/model/vnode.ts';
import { movedBase } from '../log/rewrite.ts';

/** Translates the versions of queued updates to those that the offers will give. */
export class MovedVersions {
  /** How far the version of each vnode has moved: from the one it had here to the one its offer will have. */
  readonly #shifts: ReadonlyMap<Fid, number>;
  /** What queued saves make: the new number by the old one. */
  readonly #made = new Map<Fid, Map<DataVersion, DataVersion>>();

  constructor(shifts: ReadonlyMap<Fid, number>) {
    this.#shifts = shifts;
  }

  now(fid: Fid, version: DataVersion): DataVersion {
    const made = this.#made.get(fid)?.get(version);
    return made ?? dataVersion(Math.max(version + (this.#shifts.get(fid) ?? 0), 0));
  }

  /** The same update over the versions as they are called now. Queued updates come here in their order. */
  over(update: Update): Update {
    const fid = update.op === 'rename' ? update.over?.fid : update.fid;
    if (fid === undefined) return update;
    const moved = movedBase(update, fid, (base) => this.now(fid, base));
    if (update.op === 'store' && moved.op === 'store') {
      const made = this.#made.get(fid) ?? new Map<DataVersion, DataVersion>();
      this.#made.set(fid, made.set(next(update.base), next(moved.base)));
    }
    return moved;
  }
}

function next(version: DataVersion): DataVersion {
  return dataVersion(version + 1);
}
