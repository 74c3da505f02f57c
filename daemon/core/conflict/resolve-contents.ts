/**
 * Contents that lost: a store the server refused because somebody else stored first (C1), or because the vnode was removed
 * meanwhile (C3). All our queued contents and attributes of the vnode move to a new fid.
 */
import { rootOf, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { lostNameOf } from '../../../shared/model/conflict-name.ts';
import type { CopyMark, StoreUpdate, Update } from '../../../shared/model/update.ts';
import { dataVersion, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { takeFid } from '../names/vnode-blocks.ts';
import type { ClientState } from '../state.ts';
import { originAt, pathOf, viewPlaces, viewStatus } from '../log/view.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { addAlias, resolved } from '../names/aliases.ts';
import { directoriesFrom } from '../log/directories-above.ts';
import { placeWithoutFolder } from './below-gone-folder.ts';
import {
  freePlace,
  offerAdjustment,
  recordConflict,
  unmarked,
  type MarkedPlace,
} from './outcome.ts';
import { AS_IT_IS, relog } from '../log/relog.ts';
import { isStoreOf, storeChainOf } from '../log/store-chain.ts';
import { gaveUp } from '../log/given-up.ts';
import { rebased } from '../log/rewrite.ts';
import { wallMtime } from '../log/log-update.ts';
import { forgetVnode, learnStatus } from '../log/learn.ts';
import type { Origin } from '../names/past-places.ts';

/** The server sent no status of the vnode: the cached one counts. */
const AS_KNOWN = 'as known';

/** Somebody stored first. False: it can't be resolved now, for want of a fid. */
export function resolveStale(
  state: ClientState,
  entry: LoggedUpdate,
  update: StoreUpdate,
  existing: VnodeStatus | null,
): boolean {
  const dependents = state.log.dependents(entry);
  const line = storeChainOf(update.fid, [entry, ...dependents]);
  const last = line.at(-1) ?? update;
  const same = [last, update].find(({ digest }) => digest === existing?.digest);
  if (existing !== null && same !== undefined) {
    adopt(state, entry, existing, line.slice(0, line.indexOf(same) + 1));
    return true;
  }
  if (gaveUp(dependents, update)) {
    discardEnded(state, entry, update, existing);
    return true;
  }
  const lost = nameOf(state, entry);
  return moveToCopy(
    state,
    entry,
    update,
    existing,
    lost,
    freePlace(state, lost, false),
    'contents',
  );
}

/**
 * A front end found contents on its disk that were made over a version which a later store of ours, not shown there yet, has in the
 * log already: what it found becomes the copy, at once. So the stores of a vnode in the log always form one line.
 */
export function resolveForked(state: ClientState, entry: LoggedUpdate, update: StoreUpdate): void {
  const { fid } = update;
  const isForked = state.log.index
    .onVnode(fid)
    .some((e) => e !== entry && e.update.op === 'store' && e.update.base >= update.base);
  if (!isForked) return;
  const place = nameOf(state, entry);
  moveToCopy(state, entry, update, AS_KNOWN, place, freePlace(state, place, false), 'contents');
}

/** The vnode was removed: the update wins (C3), in its old place, or where its folder left a place. False: it has to wait. */
export function resolveRemoved(
  state: ClientState,
  entry: LoggedUpdate,
  update: StoreUpdate,
): boolean {
  const dependents = state.log.dependents(entry);
  if (gaveUp(dependents, update)) {
    discardEnded(state, entry, update, null);
    return true;
  }
  const lost = nameOf(state, entry);
  const above = directoriesFrom(state, entry, lost.dir);
  const { fid } = update;
  const named = { name: lost.name, ...keptMark(state, lost) };
  const about = { fid, ...named, above, isFirstGone: false, isDirectory: false };
  const found = placeWithoutFolder(state, entry, about);
  return found !== null && moveToCopy(state, entry, update, null, lost, found.to, 'removed');
}

/**
 * The name that the contents have, or that they had when they were logged. There is none only where a program opened a file by its number that has
 * never had a name here, and the server could not be asked for it (log/ask-name.ts): what a program finds by its name is remembered
 * (names/past-places.ts), and a front end says where it has it.
 */
function nameOf(state: ClientState, { update: { fid }, place }: LoggedUpdate): Place {
  return viewPlaces(state, fid)[0] ?? place ?? { dir: rootOf(volumeOf(fid)), name: 'unnamed' };
}

/** What the server has is what we stored (or what we stored last): our stores are done. */
function adopt(
  state: ClientState,
  entry: LoggedUpdate,
  existing: VnodeStatus,
  done: readonly StoreUpdate[],
): void {
  learnStatus(state, existing);
  const { fid } = existing;
  const last = done.at(-1);
  const shift = existing.version - ((last?.base ?? 0) + 1);
  const stored = [entry, ...state.log.dependents(entry)].find(({ update }) => update === last);
  relog(state, entry, {
    instead: [],
    cached: { content: stored?.content ?? null, is: existing },
    dependent: (dependent) => {
      if (isStoreOf(dependent, fid) && done.includes(dependent)) return null;
      return rebased(dependent, fid, shift);
    },
  });
}

/** We removed (or replaced) after storing: our contents were given up here, the other's version stays (C3). */
function discardEnded(
  state: ClientState,
  entry: LoggedUpdate,
  update: StoreUpdate,
  existing: VnodeStatus | null,
): void {
  const { fid } = update;
  if (existing === null) forgetVnode(state, fid);
  else learnStatus(state, existing);
  relog(state, entry, {
    instead: [],
    dependent: (dependent) => {
      if (dependent.fid !== fid) return notOver(dependent, update);
      const isContent = dependent.op === 'store' || dependent.op === 'setattr';
      return isContent || dependent.op === 'remove' ? null : dependent;
    },
  });
  offerAdjustment(state, { kind: 'restored', volume: entry.volume, fid }, []);
}

function moveToCopy(
  state: ClientState,
  entry: LoggedUpdate,
  update: StoreUpdate,
  existing: VnodeStatus | null | typeof AS_KNOWN,
  lost: Place,
  to: MarkedPlace,
  kind: 'contents' | 'removed',
): boolean {
  const copy = takeFid(state, entry.volume);
  if (copy === null) return false;
  const { fid } = update;
  const was = viewStatus(state, fid);
  if (existing === null) forgetVnode(state, fid);
  else if (existing !== AS_KNOWN) learnStatus(state, existing);
  const create = {
    op: 'create',
    fid: copy,
    ...to,
    mode: was?.mode ?? 0o644,
    mtime: update.mtime,
    xattrs: was?.xattrs ?? [],
    at: wallMtime(state),
  } as const;
  let version = 1;
  const line = storeChainOf(fid, [entry, ...state.log.dependents(entry)]);
  const { instead, dependents } = relog(state, entry, {
    instead: [
      { update: create },
      { update: { ...update, fid: copy, base: dataVersion(0) }, content: entry.content },
    ],
    dependent: (dependent) => {
      if (dependent.fid !== fid) return notOver(dependent, update);
      if (dependent.op === 'store') {
        if (!line.includes(dependent)) return dependent;
        return { ...dependent, fid: copy, base: dataVersion(version++) };
      }
      if (dependent.op === 'setattr') return { ...dependent, fid: copy };
      if (dependent.op === 'remove') return null;
      // Its names are the server's affair; where it is gone, ours is made where it was to be.
      return existing === null ? null : dependent;
    },
  });
  const moved = [...dependents.values()].filter((e) => e.update.fid === copy);
  const awaits = [...instead, ...moved].map((e) => e.seq);
  moveWriters(state, fid, update, { copy, had: originAt(state, to) });
  addAlias(state, fid, { kind: 'copied', into: copy, lost: update.base });
  const { volume } = entry;
  const about = { fid, copy, to: unmarked(to), lost: update.base };
  const asked = { kind: 'copied', volume, ...about } as const;
  offerAdjustment(state, asked, awaits);
  recordConflict(state, lost, to, kind, existing === AS_KNOWN ? null : existing);
  return true;
}

/** It has the name back that it had: that of a copy, of which the list tells still, or one that a person gave. */
function keptMark(state: ClientState, place: Place): { copyOf?: CopyMark } {
  const lost = lostNameOf(place.name);
  if (lost === null) return {};
  const isCopy = state.conflict.list.hasCopy(volumeOf(place.dir), pathOf(state, place));
  return { copyOf: isCopy ? lost : null };
}

/**
 * Who began to write over one of our losing stores goes on in the copy. The version it began with is ours: on the server that
 * number may by now be another's store, which nobody here has seen.
 */
function moveWriters(
  state: ClientState,
  fid: Fid,
  lost: StoreUpdate,
  { copy, had }: { readonly copy: Fid; readonly had: Origin },
): void {
  for (const handle of state.calls.handles.values()) {
    if (!handle.writing || handle.observed !== null) continue;
    if (resolved(state, handle.fid) !== fid) continue;
    if (handle.base <= lost.base) continue;
    handle.fid = copy;
    handle.had = had;
    handle.base = dataVersion(handle.base - lost.base);
  }
}

/** A setattr of a vnode that is gone, and the like: dropped, what waited for it goes on. */
export function dropUpdate(state: ClientState, entry: LoggedUpdate): void {
  relog(state, entry, { instead: [], dependent: AS_IT_IS });
}

/**
 * What came over the losing contents was not made over the winning ones, which may have the same number: those stay, and it takes
 * another name.
 */
function notOver(dependent: Update, lost: StoreUpdate): Update {
  if (dependent.op !== 'rename' || dependent.over?.fid !== lost.fid) return dependent;
  if (dependent.over.base <= lost.base) return dependent;
  return { ...dependent, over: { fid: lost.fid, base: dataVersion(0) } };
}
