/**
 * What an update must come after (rule W1: graphs, not lists; only dependents wait).
 *
 * - Everything waits for the making of each vnode it names.
 * - Changes of one vnode's contents and attributes keep their order.
 * - Updates of one entry keep their order.
 * - What ends a name of a vnode (remove, rename over it) waits for everything queued on that vnode: its base counts
 *   the stores, and its last name must not go before its next one is there.
 * - A rename or link waits for the contents it brings in: the editors' safe save (write T, rename T to `doc`) never shows a `doc`
 *   with less than T had, whether there was a `doc` or not. To a name that is or was in use it waits for attributes too. What is in a
 *   directory is not what its rename brings in: that waits for no contents.
 * - rmdir waits for everything queued in the directory. So does a change of its modification time: each change of an entry sets that too,
 *   and one that waits for contents would have the last word.
 * - Moves of directories keep their order, or two could cross (rule C2).
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import type { Update, UpdateSeq } from '../../../shared/model/update.ts';
import type { Indexed, UpdateIndex } from './update-index.ts';
import { effectsOf } from './update-index.ts';

interface Found {
  readonly seq: UpdateSeq;
  readonly waiters: Set<UpdateSeq>;
}

/**
 * Finds the logged updates that a new one has to come after, in the order of the log. Answered
 * updates are left out. `movesDirectory`: the rename moves a directory to another parent.
 */
export function dependenciesOf(
  update: Update,
  movesDirectory: boolean,
  index: UpdateIndex,
): Found[] {
  const found = new Map<UpdateSeq, Indexed>();
  const need = (entry: Indexed | undefined): void => {
    if (entry !== undefined && entry.state !== 'answered') found.set(entry.seq, entry);
  };
  for (const fid of directoriesAndVnode(update)) need(makingOf(fid, index));
  for (const { dir, name } of effectsOf(update)) need(index.onEntry(dir, name).at(-1));
  switch (update.op) {
    case 'store':
      need(lastChangeOf(update.fid, index));
      break;
    case 'setattr':
      need(lastChangeOf(update.fid, index));
      if (update.mtime === null) break;
      for (const entry of index.inDirectory(update.fid)) need(entry);
      break;
    case 'remove':
      index.onVnode(update.fid).forEach(need);
      break;
    case 'rmdir':
      index.onVnode(update.fid).forEach(need);
      for (const entry of index.inDirectory(update.fid)) need(entry);
      break;
    case 'link':
      need(lastStoreOf(update.fid, index));
      if (index.onEntry(update.dir, update.name).length > 0) need(lastChangeOf(update.fid, index));
      break;
    case 'rename':
      if (update.over !== null) {
        index.onVnode(update.over.fid).forEach(need);
        for (const entry of index.inDirectory(update.over.fid)) need(entry);
      }
      need(lastStoreOf(update.fid, index));
      if (update.over !== null || index.onEntry(update.toDir, update.toName).length > 0) {
        need(lastChangeOf(update.fid, index));
      }
      if (movesDirectory) need(index.lastDirectoryMove(volumeOf(update.fid)));
      break;
    case 'create':
    case 'mkdir':
    case 'symlink':
      break;
  }
  return [...found.values()].sort((a, b) => a.seq - b.seq);
}

function directoriesAndVnode(update: Update): Fid[] {
  switch (update.op) {
    case 'rename':
      return [update.fid, update.fromDir, update.toDir];
    case 'store':
    case 'setattr':
      return [update.fid];
    default:
      return [update.fid, update.dir];
  }
}

/**
 * The last one. A restored server may have the vnode, from who offered it first: then what is offered of it here comes before our own making of
 * it, if that has not been answered (rule I1), and there may be two.
 */
function makingOf(fid: Fid, index: UpdateIndex): Indexed | undefined {
  return index.onVnode(fid).findLast(({ update, state }) => {
    if (update.fid !== fid || state === 'answered') return false;
    return update.op === 'create' || update.op === 'mkdir' || update.op === 'symlink';
  });
}

function lastStoreOf(fid: Fid, index: UpdateIndex): Indexed | undefined {
  return index.onVnode(fid).findLast((e) => e.update.op === 'store' && e.state !== 'answered');
}

function lastChangeOf(fid: Fid, index: UpdateIndex): Indexed | undefined {
  return index
    .onVnode(fid)
    .findLast(
      (e) => (e.update.op === 'store' || e.update.op === 'setattr') && e.state !== 'answered',
    );
}
