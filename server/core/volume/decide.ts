/**
 * Decides one update: the rows it reads (`planUpdate`), and what comes of it (`decide`).
 *
 * Both are pure; a decision is valid only while `view.missing` is empty. The rules are those of shared/model/update.ts.
 */
import { parseFid, volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import { fidsOf, type Update } from '../../../shared/model/update.ts';
import { unreachable } from '../../../shared/util/assert.ts';
import type { KeySet } from '../commit/row-key.ts';
import type { RowView } from '../commit/row-view.ts';
import { decideSetAttr, decideStore } from './decide-change.ts';
import { decideLink, decideMake } from './decide-make.ts';
import { decideRemove } from './decide-remove.ts';
import { decideRename } from './decide-rename.ts';
import { refused, type Decision, type Maker } from './decision.ts';

/** The rows that an update in this volume reads. */
export function planUpdate(update: Update, volume: VolumeId, keys: KeySet): void {
  if (isOfOther(update, volume)) return;
  for (const fid of fidsOf(update)) keys.add({ kind: 'vnode', fid });
  switch (update.op) {
    case 'create':
    case 'mkdir':
    case 'symlink': {
      const parts = parseFid(update.fid);
      if (parts !== null) {
        keys.add({ kind: 'block', volume: parts.volume, uniquifier: parts.uniquifier });
      }
      keys.add({ kind: 'entry', dir: update.dir, name: update.name });
      if (update.op === 'mkdir') keys.add({ kind: 'ancestors', fid: update.dir });
      return;
    }
    case 'link':
    case 'remove':
    case 'rmdir':
      keys.add({ kind: 'entry', dir: update.dir, name: update.name });
      return;
    case 'rename':
      keys.add({ kind: 'entry', dir: update.fromDir, name: update.fromName });
      keys.add({ kind: 'entry', dir: update.toDir, name: update.toName });
      if (update.fromDir !== update.toDir) keys.add({ kind: 'ancestors', fid: update.toDir });
      return;
    case 'setattr':
    case 'store':
      return;
    default:
      unreachable(update);
  }
}

/** Whether the update names a vnode of another volume, which is refused even if the device may write there. */
function isOfOther(update: Update, volume: VolumeId): boolean {
  return fidsOf(update).some((fid) => volumeOf(fid) !== volume);
}

/** What becomes of the update, as far as `view` misses nothing. */
export function decide(update: Update, view: RowView, maker: Maker): Decision {
  const made = update.op === 'create' || update.op === 'mkdir' || update.op === 'symlink';
  if (isOfOther(update, maker.volume)) {
    return refused(made && volumeOf(update.fid) !== maker.volume ? 'fid-in-use' : 'no-such-vnode');
  }
  switch (update.op) {
    case 'create':
    case 'mkdir':
    case 'symlink':
      return decideMake(update, view, maker);
    case 'link':
      return decideLink(update, view, maker);
    case 'remove':
    case 'rmdir':
      return decideRemove(update, view, maker);
    case 'rename':
      return decideRename(update, view, maker);
    case 'setattr':
      return decideSetAttr(update, view, maker);
    case 'store':
      return decideStore(update, view, maker);
    default:
      return unreachable(update);
  }
}
