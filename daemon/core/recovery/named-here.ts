/**
 * What was made, moved or linked here and is committed may not be in the base yet, though what was stored in it is. It is part of what is
 * known: it is offered with the rest of it, and not logged a second time. All of it in its order: a name that was moved away
 * may have been given to something else since.
 *
 * What was removed is left to the log: it is removed again after it was offered.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import type { Tree } from './tree.ts';

/** Lets `now` have it, and gives the updates that need not be logged again. */
export function withNamed(
  state: ClientState,
  volume: VolumeId,
  last: CommitNumber,
  now: Tree,
): Set<LoggedUpdate> {
  const covered = new Set<LoggedUpdate>();
  for (const entry of state.log.all()) {
    const { update, answer } = entry;
    if (entry.volume !== volume || answer === null || answer.commit <= last) continue;
    if (!now.statuses.has(update.fid) || !directoriesOf(update).every((dir) => isKnown(now, dir))) {
      continue;
    }
    const isIn = (dir: Fid): boolean =>
      (state.names.directories.get(dir)?.asOf ?? 0) >= answer.commit;
    if (named(now, update, isIn)) covered.add(entry);
  }
  return covered;
}

function directoriesOf(update: Update): Fid[] {
  if (update.op === 'rename') return [update.fromDir, update.toDir];
  return 'dir' in update ? [update.dir] : [];
}

function isKnown({ entries }: Tree, dir: Fid): boolean {
  return entries.has(dir);
}

/** False: it names nothing. `isIn`: the names of the directory have it already. */
function named(now: Tree, update: Update, isIn: (dir: Fid) => boolean): boolean {
  const { entries } = now;
  switch (update.op) {
    case 'create':
    case 'mkdir':
    case 'symlink':
    case 'link':
      if (!isIn(update.dir)) entries.get(update.dir)?.set(update.name, update.fid);
      return true;
    case 'rename': {
      const { fid, fromDir, fromName, toDir, toName, over } = update;
      const from = entries.get(fromDir);
      if (!isIn(fromDir) && from?.get(fromName) === fid) from.delete(fromName);
      if (!isIn(toDir)) entries.get(toDir)?.set(toName, fid);
      if (over !== null && over.fid !== fid) takeName(now, over.fid);
      return true;
    }
    default:
      return false;
  }
}

/** Where it has another name it stays; that may be in a directory which is not known here. */
function takeName({ statuses, entries }: Tree, fid: Fid): void {
  const links = statuses.get(fid)?.links ?? 0;
  if (links <= 1 && !hasName(entries, fid)) statuses.delete(fid);
}

function hasName(entries: Tree['entries'], fid: Fid): boolean {
  for (const names of entries.values()) {
    for (const named of names.values()) if (named === fid) return true;
  }
  return false;
}
