/** Updates that take a name away: remove (files and symlinks), rmdir. */
import type { StoredVnode } from '../../../shared/model/stored.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import { isMountPoint } from '../../../shared/model/mount-point.ts';
import { ROOT_VNODE, parseFid } from '../../../shared/model/fid.ts';
import type { RowView } from '../commit/row-view.ts';
import {
  accepted,
  changedDirectory,
  directoryOf,
  holderOf,
  isRefused,
  refused,
  relinked,
  type Decision,
  type Maker,
  type Refused,
} from './decision.ts';

type Remove = Extract<Update, { op: 'remove' | 'rmdir' }>;
type RemoveFolder = Extract<Update, { op: 'rmdir' }>;

/** Refusals in this order: the directory, the entry, the kind, the base (rule C3: the update wins), emptiness. */
export function decideRemove(update: Remove, view: RowView, maker: Maker): Decision {
  const dir = directoryOf(view, update.dir);
  const entry = view.entry(update.dir, update.name);
  const row = view.live(update.fid);
  if (isRefused(dir)) return dir;
  if (entry === null || entry.fid !== update.fid || row === null) {
    // Who wanted it away hears that it lives on under another name, or what has its name now.
    return refused('no-such-entry', row?.status ?? (entry === null ? null : holderOf(view, entry)));
  }
  if ((row.status.kind === 'directory') !== (update.op === 'rmdir')) {
    return refused('wrong-kind', row.status);
  }
  const fault = update.op === 'remove' ? baseFault(row, update.base) : folderFault(row, update);
  if (fault !== null) return fault;
  return accepted(
    [relinked(row, -1, maker), changedDirectory(dir, -1, update.at, maker)],
    [{ dir: update.dir, name: update.name, before: entry, fid: null }],
  );
}

/** A mount point goes where its owner says so, and only then; else it is what a person takes for an empty folder. */
function folderFault(row: StoredVnode, { unmounts }: RemoveFolder): Refused | null {
  if (unmounts !== true) return emptinessFault(row);
  return isMountPoint(row.status) ? null : refused('wrong-kind', row.status);
}

/** Null: no fault. A file must still have the contents that its remover knew; a symlink never changes. */
export function baseFault(row: StoredVnode, base: DataVersion): Refused | null {
  if (row.status.kind !== 'file' || row.status.version === base) return null;
  return refused('stale-base', row.status);
}

/** A directory that has entries, is the root or shows a volume (M2) is not removed. Null: it may be. */
export function emptinessFault(row: StoredVnode): Refused | null {
  if (isMountPoint(row.status)) return refused('not-empty', row.status);
  const isRoot = parseFid(row.status.fid)?.vnode === ROOT_VNODE;
  return row.entries > 0 || isRoot ? refused('not-empty', row.status) : null;
}
