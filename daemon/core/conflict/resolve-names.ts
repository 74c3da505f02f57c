/** Names that lost: link, remove, rmdir and rename that the server refused. */
import type { Fid } from '../../../shared/model/fid.ts';
import { isSwapName } from '../../../shared/model/names.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Refusal } from '../../../shared/model/update.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { ClientState } from '../state.ts';
import { viewEntry, viewPlaces, viewStatus } from '../log/view.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { endOf, LostName } from './lost-name.ts';
import { addAlias } from '../names/aliases.ts';
import { directoriesFrom } from '../log/directories-above.ts';
import { placeWithoutFolder } from './below-gone-folder.ts';
import {
  freePlace,
  markAt,
  nearestPlace,
  offerAdjustment,
  recordConflict,
  recordUndone,
  renamedFrom,
  restoreRenamed,
  unmarked,
  type MarkedPlace,
} from './outcome.ts';
import { AS_IT_IS, relog } from '../log/relog.ts';
import { dropUpdate } from './resolve-contents.ts';
import { replaces, substituted } from '../log/rewrite.ts';
import { wallMtime } from '../log/log-update.ts';
import { learnStatus } from '../log/learn.ts';

type Op<O extends Update['op']> = Extract<Update, { op: O }>;

/**
 * Resolves a refused link: gives it a free name beside the taken one, or a place in the nearest
 * remaining directory. Where neither is possible the link is undone, and the conflict is recorded.
 * False: it has to wait.
 */
export function resolveLink(
  state: ClientState,
  entry: LoggedUpdate,
  update: Op<'link'>,
  refusal: Refusal,
  existing: VnodeStatus | null,
): boolean {
  if (existing !== null) learnStatus(state, existing);
  const from = { dir: update.dir, name: update.name };
  if (refusal === 'name-taken') {
    const to = freePlace(state, { ...from, ...markAt(update) }, false);
    if (existing?.fid === update.fid) dropUpdate(state, entry);
    else placeElsewhere(state, entry, update, from, to, 'name', existing);
    return true;
  }
  const above = directoriesFrom(state, entry, from.dir);
  if (
    refusal === 'no-such-vnode' &&
    viewStatus(state, update.fid) !== undefined &&
    above.length > 1
  ) {
    // The vnode may be the one that is gone; then the next refusal finds no directory left to try.
    const { fid } = update;
    const named = { name: from.name, ...markAt(update) };
    const lost = { fid, ...named, above, isFirstGone: true, isDirectory: false };
    const found = placeWithoutFolder(state, entry, lost);
    if (found === null) return false;
    if (found.to.dir !== from.dir) {
      const kind = found.isBelow ? null : 'directory-gone';
      placeElsewhere(state, entry, update, from, found.to, kind);
      if (found.isBelow && found.taken !== null) {
        recordConflict(state, found.taken, found.to, 'name');
      }
      return true;
    }
  }
  const { volume } = entry;
  const paths = renamedFrom(state, from, from, true);
  relog(state, entry, { instead: [], dependent: AS_IT_IS });
  const isGone = viewPlaces(state, update.fid).length === 0;
  restoreRenamed(state, volume, update.fid, { ...paths, isGone });
  // It is there, only not by this name as well.
  if (!isGone) recordUndone(state, update.fid, from, 'rename-undone');
  return true;
}

/** A removal the server refused: what is there stays (C3). Where there is nothing left to remove, all is well. */
export function resolveRemoval(
  state: ClientState,
  entry: LoggedUpdate,
  update: Op<'remove' | 'rmdir'>,
  refusal: Refusal,
  existing: VnodeStatus | null,
): void {
  if (existing !== null) learnStatus(state, existing);
  const wanted = { dir: update.dir, name: update.name };
  const isGone = refusal === 'no-such-entry' || refusal === 'no-such-vnode';
  // With all that waits to be sent.
  const standing = viewEntry(state, wanted.dir, wanted.name) ?? null;
  if (isGone) dropUpdate(state, entry);
  else restore(state, entry, update.fid);
  const { fid = update.fid } = existing ?? {};
  const isThere = isGone ? (existing?.links ?? 0) > 0 : true;
  if (!isThere) return;
  const at = fid === update.fid ? null : wanted;
  // What was put in its place is one act with the removal, and is told of by itself: it is kept beside what stands there.
  const there = at ?? viewPlaces(state, fid)[0];
  const isReplaced = standing !== null && standing !== update.fid && standing !== fid;
  if (isReplaced && there !== undefined && isSamePlace(there, wanted)) return;
  recordUndone(state, fid, wanted, 'removal-undone', at);
}

const isSamePlace = (a: Place, b: Place): boolean => a.dir === b.dir && a.name === b.name;

/**
 * Resolves a refused rename: sends it again without the replaced vnode, merges equal files, gives
 * ours a free name, or undoes it. `existing`: the vnode that is in the way; null: the server names
 * none. False: it has to wait.
 */
export function resolveRename(
  state: ClientState,
  entry: LoggedUpdate,
  update: Op<'rename'>,
  refusal: Refusal,
  existing: VnodeStatus | null,
): boolean {
  if (existing !== null) learnStatus(state, existing);
  if (refusal === 'no-such-entry' && update.over !== null) {
    // What it was to replace may be gone, and nothing stands in its way; or its source is, and it is refused again.
    relog(state, entry, { instead: [{ update: { ...update, over: null } }], dependent: AS_IT_IS });
    return true;
  }
  if (refusal === 'no-such-entry' || refusal === 'no-such-vnode') {
    if (stallBehindStores(state, entry, update.fid)) return true;
  }
  const isInTheWay =
    refusal === 'name-taken' ||
    refusal === 'stale-base' ||
    refusal === 'not-empty' ||
    refusal === 'wrong-kind';
  if (!isInTheWay || existing?.fid === update.fid) {
    // The view may not have heard of its end, of which the server has nothing to show.
    const isGone = refusal === 'no-such-entry' && existing === null;
    const kept = isGone ? null : keepOutOfRing(state, entry, update, refusal);
    if (kept === null) undo(state, entry, update, isGone);
    return kept ?? true;
  }
  const to = { dir: update.toDir, name: update.toName };
  const ours = viewStatus(state, update.fid);
  const isSame = existing !== null && existing.kind === 'file' && existing.digest !== null;
  if (isSame && ours?.digest === existing.digest) {
    mergeInto(state, entry, update, existing);
    return true;
  }
  const elsewhere = freePlace(state, { ...to, ...markAt(update) }, ours?.kind === 'directory');
  placeElsewhere(state, entry, update, to, elsewhere, 'name', existing);
  const replacedFid = existing?.fid ?? update.over?.fid;
  if (replacedFid === undefined) return true;
  const { volume } = entry;
  offerAdjustment(state, { kind: 'restored', volume, fid: replacedFid }, []);
  return true;
}

/**
 * Its old name was one of ours, through which a ring of moves went: nobody would look for it there, so the rename is not undone. It keeps the name that
 * it was given, in the nearest directory that can have it. null: it had another name, or can have none; false: it has to wait.
 */
function keepOutOfRing(
  state: ClientState,
  entry: LoggedUpdate,
  update: Op<'rename'>,
  refusal: Refusal,
): boolean | null {
  const { fid, fromDir, fromName, toDir, toName: name } = update;
  const status = viewStatus(state, fid);
  if (!isSwapName(fromName) || refusal === 'no-such-entry' || status === undefined) return null;
  const from = { dir: toDir, name };
  const named = { name, ...markAt(update) };
  const isDirectory = status.kind === 'directory';
  if (refusal !== 'no-such-vnode') {
    const to = nearestPlace(state, fid, [fromDir], named, isDirectory);
    if (samePlace(to, from)) return null;
    placeElsewhere(state, entry, update, from, to, null);
    recordUndone(state, fid, from, 'rename-undone');
    return true;
  }
  const above = directoriesFrom(state, entry, toDir);
  const found = placeWithoutFolder(state, entry, {
    ...{ fid, ...named, above, isFirstGone: true, isDirectory },
  });
  if (found === null) return false;
  if (samePlace(found.to, from)) return null;
  placeElsewhere(state, entry, update, from, found.to, found.isBelow ? null : 'directory-gone');
  if (found.isBelow && found.taken !== null) recordConflict(state, found.taken, found.to, 'name');
  return true;
}

function samePlace(one: Place, other: Place): boolean {
  return one.dir === other.dir && one.name === other.name;
}

/** Undoes the rename, and records a conflict that names where the vnode is, or that it is gone. */
function undo(
  state: ClientState,
  entry: LoggedUpdate,
  update: Op<'rename'>,
  isGone: boolean,
): void {
  const { fid } = update;
  const given = { dir: update.toDir, name: update.toName };
  const had = { dir: update.fromDir, name: update.fromName };
  // Later names of ours for it are judged on their own; one of them may be its name.
  const isLast = !state.log
    .dependents(entry)
    .some(({ update: { op, fid: of } }) => of === fid && (op === 'rename' || op === 'remove'));
  const renamed = renamedFrom(state, given, had, isGone && isLast);
  relog(state, entry, { instead: [], dependent: AS_IT_IS });
  restoreRenamed(state, entry.volume, fid, renamed);
  if (!isLast || isGone) return;
  const places = viewPlaces(state, fid);
  const hasIt = places.some(({ dir, name }) => dir === given.dir && name === given.name);
  if (!hasIt) recordUndone(state, fid, given, 'rename-undone');
}

/**
 * Others have moved or removed what it renames, and contents of ours are still on their way there. Their answer decides: where the vnode is gone they
 * are made anew (C3), under the name that their owner gave them last. If the rename were undone first, they would have the old name again, and
 * another device that takes this name for free would replace them unseen.
 */
function stallBehindStores(state: ClientState, entry: LoggedUpdate, fid: Fid): boolean {
  const stores = state.log.index.onVnode(fid).flatMap(({ seq }) => {
    const e = state.log.get(seq);
    const isOurs = e?.update.op === 'store' && e.update.fid === fid && seq < entry.seq;
    return isOurs && e.state !== 'answered' ? [e] : [];
  });
  if (stores.length === 0) return false;
  for (const store of stores) state.log.waitAlso(entry, store);
  entry.state = 'stalled';
  return true;
}

/** What was to be replaced has the same contents by now: it stays, and ours goes. */
function mergeInto(
  state: ClientState,
  entry: LoggedUpdate,
  update: Op<'rename'>,
  existing: VnodeStatus,
): void {
  const { fid } = update;
  const base = viewStatus(state, fid)?.version;
  if (base === undefined) return restore(state, entry, fid);
  const at = wallMtime(state);
  const place = { dir: update.fromDir, name: update.fromName };
  addAlias(state, fid, { kind: 'merged', into: existing.fid });
  relog(state, entry, {
    instead: [{ update: { op: 'remove', fid, ...place, base, at } }],
    dependent: (dependent) => substituted(dependent, fid, existing.fid, existing.version),
  });
  const { volume } = entry;
  offerAdjustment(state, { kind: 'merged', volume, fid, into: existing.fid }, []);
}

/** Our vnode can't have that name: it takes another one, and the disk follows. `taker`: what the server has there. */
function placeElsewhere(
  state: ClientState,
  entry: LoggedUpdate,
  update: Op<'rename' | 'link'>,
  from: Place,
  to: MarkedPlace,
  kind: 'name' | 'directory-gone' | null,
  taker: VnodeStatus | null = null,
): void {
  const { fid } = update;
  const { had, holder } = endOf(fid, from, to, state.log.dependents(entry));
  const wasPromised = had.some((each) =>
    state.conflict.adjustments.moved(each, from, unmarked(to)),
  );
  const moved: Update =
    update.op === 'link'
      ? { ...update, ...to }
      : { ...update, toDir: to.dir, toName: to.name, over: null, ...markAt(to) };
  const name = new LostName(fid, from, to);
  const { instead, dependents } = relog(state, entry, {
    instead: [{ update: moved }],
    dependent: (dependent) => name.follow(dependent),
  });
  if (wasPromised) return;
  const replacing = [...dependents.values()].filter((e) => replaces(e.update, to));
  const awaits = [...instead, ...replacing].map((e) => e.seq);
  const { volume } = entry;
  const at = { fid: holder ?? fid, from, to: unmarked(to) };
  offerAdjustment(state, { kind: 'renamed', volume, ...at }, awaits);
  if (kind !== null) recordConflict(state, from, to, kind, taker);
}

/** Our change is undone here: the server's state of the vnode is the one. */
function restore(
  state: ClientState,
  entry: LoggedUpdate,
  fid: LoggedUpdate['update']['fid'],
): void {
  relog(state, entry, { instead: [], dependent: AS_IT_IS });
  offerAdjustment(state, { kind: 'restored', volume: entry.volume, fid }, []);
}
