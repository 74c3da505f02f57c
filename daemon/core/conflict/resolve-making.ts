/**
 * A making (create, mkdir, symlink) that was refused: the name is taken, the directory is gone, or the fid is in use.
 *
 * - Both directories: they are one; what we put into ours goes into the server's, name by name. So are two mount points of one volume.
 * - The same contents, the same target: no conflict.
 * - Else ours takes a conflict name; it keeps its fid, since the server never had it.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { isFollowed } from '../names/followed.ts';
import { giveUpBlockOf, takeFid } from '../names/vnode-blocks.ts';
import type { ClientState } from '../state.ts';
import { madeBy, pathOf } from '../log/view.ts';
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
  unmarked,
  type MarkedPlace,
} from './outcome.ts';
import { isStoreOf, storeChainOf } from '../log/store-chain.ts';
import { relog } from '../log/relog.ts';
import { dropUpdate } from './resolve-contents.ts';
import { replaces, substituted } from '../log/rewrite.ts';
import { learnStatus } from '../log/learn.ts';

export type Making = Extract<Update, { op: 'create' | 'mkdir' | 'symlink' }>;

/**
 * Resolves a making whose name the server has already: drops it, merges it, or gives ours a
 * conflict name. `existing`: the vnode that the server has under that name; null: it names none.
 */
export function resolveTaken(
  state: ClientState,
  entry: LoggedUpdate,
  update: Making,
  existing: VnodeStatus | null,
): void {
  if (existing !== null) learnStatus(state, existing);
  // It is made already: another device that knew it has offered it (rule I1), or another copy of our log has.
  if (existing?.fid === update.fid) return dropUpdate(state, entry);
  if (existing !== null && isTheSame(state, entry, update, existing)) {
    return merge(state, entry, update, existing);
  }
  takeConflictName(state, entry, update, existing);
}

/** Nothing of ours would be lost or hidden if the server's vnode were ours. */
function isTheSame(
  state: ClientState,
  entry: LoggedUpdate,
  update: Making,
  existing: VnodeStatus,
): boolean {
  switch (update.op) {
    case 'mkdir':
      return existing.kind === 'directory' && existing.target === (madeBy(update)?.target ?? null);
    case 'symlink':
      return existing.kind === 'symlink' && existing.target === update.target;
    case 'create': {
      const store = storeChainOf(update.fid, state.log.dependents(entry)).at(-1);
      return existing.kind === 'file' && store !== undefined && store.digest === existing.digest;
    }
  }
}

function merge(
  state: ClientState,
  entry: LoggedUpdate,
  update: Making,
  existing: VnodeStatus,
): void {
  const [from, to] = [update.fid, existing.fid];
  const line = storeChainOf(from, state.log.dependents(entry));
  addAlias(state, from, { kind: 'merged', into: to });
  relog(state, entry, {
    instead: [],
    dependent: (dependent) => {
      const isOnIt = dependent.fid === from;
      // The server's attributes stand where the contents are the same.
      if (isStoreOf(dependent, from) && line.includes(dependent)) return null;
      if (isOnIt && dependent.op === 'setattr' && existing.kind !== 'directory') return null;
      return substituted(dependent, from, to, existing.version);
    },
  });
  if (state.conflict.adjustments.replaceCopy(from, to)) return;
  offerAdjustment(state, { kind: 'merged', volume: entry.volume, fid: from, into: to }, []);
}

function takeConflictName(
  state: ClientState,
  entry: LoggedUpdate,
  update: Making,
  taker: VnodeStatus | null,
): void {
  const from = { dir: update.dir, name: update.name };
  const to = freePlace(state, { ...from, ...markAt(update) }, update.op === 'mkdir');
  rename(state, entry, update, { from, to, kind: 'name', taker });
}

/**
 * The directory is gone, or lies too deep for it: into the nearest one that exists and takes it (C3), under its name where that is free, or below the
 * name that the directory had. False: it has to wait.
 */
export function resolveNoDirectory(
  state: ClientState,
  entry: LoggedUpdate,
  update: Making,
  isTooDeep: boolean,
): boolean {
  const from = { dir: update.dir, name: update.name };
  const { fid } = update;
  const named = { name: from.name, ...markAt(update) };
  const isDirectory = update.op === 'mkdir';
  const above = directoriesFrom(state, entry, from.dir);
  if (isTooDeep) {
    const to = nearestPlace(state, fid, above.slice(1), named, isDirectory);
    const left = above.slice(Math.max(above.indexOf(to.dir), 1));
    rename(state, entry, update, { from, to, kind: 'too-deep', taker: null, ancestors: left });
    return true;
  }
  const lost = {
    fid,
    ...named,
    above,
    isFirstGone: true,
    isDirectory,
  };
  const found = placeWithoutFolder(state, entry, lost);
  if (found === null) return false;
  const { to } = found;
  const about = { from, to, kind: 'directory-gone', taker: null } as const;
  if (found.isBelow) rename(state, entry, update, { ...about, ...belowTold(found.taken) });
  else rename(state, entry, update, { ...about, ancestors: found.left });
  return true;
}

/** Of the folder that it is in somebody has been told, where it is another one. */
function belowTold(taken: Place | null): Pick<Renaming, 'kind' | 'wanted'> {
  return taken === null ? { kind: null } : { kind: 'name', wanted: taken };
}

interface Renaming {
  readonly from: Place;
  readonly to: MarkedPlace;
  /** null: nobody need be told. */
  readonly kind: 'name' | 'directory-gone' | 'too-deep' | null;
  /** The name that it could not have either; left out: `from`. */
  readonly wanted?: Place;
  /** What the server has at `from`; null: it does not say. */
  readonly taker: VnodeStatus | null;
  /** The directories above `to`; left out: they are the same. */
  readonly ancestors?: readonly Fid[];
}

function rename(
  state: ClientState,
  entry: LoggedUpdate,
  update: Making,
  { from, to, kind, taker, ancestors, wanted = from }: Renaming,
): void {
  const { fid } = update;
  // If it was moved on since, it ends where it was moved to, and nobody need hear of this name.
  const { had, holder } = endOf(fid, from, to, state.log.dependents(entry));
  const wasPromised = had.some((each) =>
    state.conflict.adjustments.moved(each, from, unmarked(to)),
  );
  const name = new LostName(fid, from, to);
  const { instead, dependents } = relog(state, entry, {
    instead: [{ update: { ...update, ...to } }],
    ...(ancestors === undefined ? {} : { ancestors }),
    dependent: (dependent) => name.follow(dependent),
  });
  if (holder === null) return;
  const { volume } = entry;
  if (wasPromised)
    return state.conflict.list.renamed(volume, pathOf(state, from), pathOf(state, to));
  const waited = [...dependents.values()].filter(
    (e) => (e.update.fid === holder && e.content !== null) || replaces(e.update, to),
  );
  const awaits = [...instead, ...waited].map((e) => e.seq);
  const moved = { kind: 'renamed', volume, fid: holder, from, to: unmarked(to) } as const;
  offerAdjustment(state, moved, awaits);
  if (kind !== null) recordConflict(state, wanted, to, kind, taker);
}

/**
 * The fid exists already. It is our vnode, which another device that knew it has offered (rule I1): then it is made, wherever
 * it is now. Or the other copy of our data folder has made something else of it (rule I2): then ours gets another fid, and
 * nothing may take the other's for ours.
 */
export function resolveFidInUse(
  state: ClientState,
  entry: LoggedUpdate,
  update: Making,
  existing: VnodeStatus | null,
): boolean {
  const from = update.fid;
  if (existing?.fid === from && !state.log.mayBeACopys(entry) && isOfKind(existing, update)) {
    learnStatus(state, existing);
    dropUpdate(state, entry);
    return true;
  }
  giveUpBlockOf(state, entry.volume, from);
  const to = takeFid(state, entry.volume);
  if (to === null) return false;
  if (existing !== null) learnStatus(state, existing);
  // The server may have given it to the other copy's since it refused ours. A folder speaks of ours by the old fid until it is adjusted.
  const isServers = existing !== null || state.names.attributes.get(from) !== undefined;
  if (!isServers || isFollowed(state, entry.volume)) {
    addAlias(state, from, { kind: 'merged', into: to });
  }
  for (const handle of state.calls.handles.values()) if (handle.fid === from) handle.fid = to;
  relog(state, entry, {
    instead: [{ update: { ...update, fid: to } }],
    dependent: (dependent) => substituted(dependent, from, to),
  });
  offerAdjustment(state, { kind: 'merged', volume: entry.volume, fid: from, into: to }, []);
  return true;
}

function isOfKind({ kind }: VnodeStatus, { op }: Making): boolean {
  if (op === 'create') return kind === 'file';
  return kind === (op === 'mkdir' ? 'directory' : 'symlink');
}
