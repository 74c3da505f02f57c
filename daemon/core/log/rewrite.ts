/** Rewrites updates when a conflict has made something else of what they name. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import { dataVersion, type DataVersion } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';

/** The same update about another vnode. `base`: the version that vnode has, for what is made against one. */
export function substituted(
  update: Update,
  from: Fid,
  to: Fid,
  base: DataVersion | null = null,
): Update {
  const swap = (fid: Fid): Fid => (fid === from ? to : fid);
  switch (update.op) {
    case 'rename': {
      const { over } = update;
      const renamedOver =
        over === null || over.fid !== from ? over : { fid: to, base: base ?? over.base };
      return {
        ...update,
        fid: swap(update.fid),
        fromDir: swap(update.fromDir),
        toDir: swap(update.toDir),
        over: renamedOver,
      };
    }
    case 'store':
    case 'setattr':
      return { ...update, fid: swap(update.fid) };
    case 'remove':
      return {
        ...update,
        fid: swap(update.fid),
        dir: swap(update.dir),
        base: update.fid === from && base !== null ? base : update.base,
      };
    default:
      return { ...update, fid: swap(update.fid), dir: swap(update.dir) };
  }
}

/** The same update over a version that is `shift` further on. */
export function rebased(update: Update, fid: Fid, shift: number): Update {
  return movedBase(update, fid, (base) => dataVersion(Math.max(base + shift, 0)));
}

/** The same update, where the versions of this vnode have other numbers. */
export function movedBase(
  update: Update,
  fid: Fid,
  moved: (base: DataVersion) => DataVersion,
): Update {
  if ((update.op === 'store' || update.op === 'remove') && update.fid === fid) {
    return { ...update, base: moved(update.base) };
  }
  if (update.op === 'rename' && update.over?.fid === fid) {
    return { ...update, over: { fid, base: moved(update.over.base) } };
  }
  return update;
}

/** The same update where the vnode has another name than the one it was given. */
export function replaced(update: Update, fid: Fid, from: Place, to: Place): Update {
  if (update.fid !== fid) return update;
  if (update.op === 'rename') {
    const isFrom = update.fromDir === from.dir && update.fromName === from.name;
    return isFrom ? { ...update, fromDir: to.dir, fromName: to.name } : update;
  }
  if (update.op === 'remove' || update.op === 'rmdir') {
    const isThere = update.dir === from.dir && update.name === from.name;
    // What is said of the new name is said by who gives it.
    return isThere ? { ...update, dir: to.dir, name: to.name } : update;
  }
  return update;
}

/** The update takes away a name of this vnode. */
export function endsName(update: Update, fid: Fid): boolean {
  if (update.op === 'rename') return update.over?.fid === fid && update.fid !== fid;
  return (update.op === 'remove' || update.op === 'rmdir') && update.fid === fid;
}

/** The update puts a vnode in the place of another. */
export function replaces(update: Update, { dir, name }: Place): boolean {
  if (update.op !== 'rename' || update.over === null) return false;
  return update.toDir === dir && update.toName === name;
}
