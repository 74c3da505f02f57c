/**
 * Rename: an entry is freed and another set, with the same vnode.
 *
 * Its own status does not change. What it replaces loses a name. A rename to the same place is a commit that changes
 * nothing; one over another name of the same vnode leaves that name and takes the old one away.
 */
import type { StoredEntry, StoredVnode } from '../../../shared/model/stored.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { RowView } from '../commit/row-view.ts';
import { baseFault, emptinessFault } from './decide-remove.ts';
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
  type VnodeStep,
} from './decision.ts';
import { climb, withMoved, type DepthBound } from './depth.ts';

type Rename = Extract<Update, { op: 'rename' }>;

/** Refusals in this order: the directories, the source, the target, its kind, its base, its emptiness, a cycle (C2), the depth. */
export function decideRename(update: Rename, view: RowView, maker: Maker): Decision {
  const from = directoryOf(view, update.fromDir);
  const to = directoryOf(view, update.toDir);
  const source = view.entry(update.fromDir, update.fromName);
  const target = view.entry(update.toDir, update.toName);
  const moved = view.live(update.fid);
  if (isRefused(from)) return from;
  if (isRefused(to)) return to;
  if (source === null || source.fid !== update.fid || moved === null) {
    return refused('no-such-entry', moved?.status);
  }
  const samePlace = update.fromDir === update.toDir && update.fromName === update.toName;
  if (samePlace) return accepted([], []);
  const over = overOf(update, target, view);
  if (over !== null && isRefused(over)) return over;
  const fault = over === null ? null : overFault(update, moved, over);
  if (fault !== null) return fault;
  if (moved.status.kind !== 'directory' || update.fromDir === update.toDir) {
    return carriedOut(update, { from, to, source, target, over }, maker);
  }
  const depth = depthThere(update, view, maker);
  if (depth === 'cycle' || depth === 'too-deep') return refused(depth);
  if (depth === 'staged') return { ok: false, waits: true };
  const bound = depth === 'unknown' ? undefined : depth;
  return carriedOut(update, { from, to, source, target, over, bound }, maker);
}

/** What the target entry names, where it is what the update says. */
function overOf(
  update: Rename,
  target: StoredEntry | null,
  view: RowView,
): StoredVnode | Refused | null {
  if (update.over === null) {
    return target === null ? null : refused('name-taken', holderOf(view, target));
  }
  const row = view.live(update.over.fid);
  if (target === null) return refused('no-such-entry');
  if (target.fid !== update.over.fid || row === null) {
    return refused('name-taken', holderOf(view, target));
  }
  return row;
}

function overFault(update: Rename, moved: StoredVnode, over: StoredVnode): Refused | null {
  if ((moved.status.kind === 'directory') !== (over.status.kind === 'directory')) {
    return refused('wrong-kind', over.status);
  }
  if (over.status.kind === 'directory') return emptinessFault(over);
  return update.over === null ? null : baseFault(over, update.over.base);
}

/** How deep directories may be when this one has moved, with all that is below it. `unknown`: the decision is made again. */
function depthThere(
  update: Rename,
  view: RowView,
  { depth, volume }: Maker,
): DepthBound | 'cycle' | 'too-deep' | 'unknown' | 'staged' {
  const to = climb(view, update.toDir, update.fid);
  if (to === 'within') return 'cycle';
  if (typeof to !== 'number') return to;
  const from = climb(view, update.fromDir, null);
  // What lies too deep may be moved up, and nothing is below it that was not.
  if (from === 'too-deep') return depth.bound;
  if (typeof from !== 'number') return 'unknown';
  return withMoved(depth, { fid: update.fid, volume, from: from + 1, to: to + 1 }, view);
}

interface Parts {
  readonly from: StoredVnode;
  readonly to: StoredVnode;
  readonly source: StoredEntry;
  readonly target: StoredEntry | null;
  readonly over: StoredVnode | null;
  /** Of a directory that is moved to another one. */
  readonly bound?: DepthBound | undefined;
}

function carriedOut(update: Rename, parts: Parts, maker: Maker): Decision {
  const { from, to, source, target, over } = parts;
  const freed = { dir: update.fromDir, name: update.fromName, before: source, fid: null };
  const set = { dir: update.toDir, name: update.toName, before: target, fid: update.fid };
  if (over !== null && over.status.fid === update.fid) {
    return accepted(
      [relinked(over, -1, maker), changedDirectory(from, -1, update.at, maker)],
      [freed],
    );
  }
  const gained = over === null ? 1 : 0;
  const vnodes: VnodeStep[] =
    update.fromDir === update.toDir
      ? [changedDirectory(from, gained - 1, update.at, maker)]
      : [
          changedDirectory(from, -1, update.at, maker),
          changedDirectory(to, gained, update.at, maker),
        ];
  if (over !== null) vnodes.push(relinked(over, -1, maker));
  return accepted(vnodes, [freed, set], parts.bound);
}
