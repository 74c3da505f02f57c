/** What a conflict leaves behind besides the log: names, adjustments, aliases, and something for people to read. */
import type { ConflictKind } from '../../../shared/control/resolution.ts';
import {
  sideOf,
  type ConflictSide,
  type ConflictSides,
} from '../../../shared/model/conflict-side.ts';
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { CopyMark, UpdateSeq } from '../../../shared/model/update.ts';
import type { ConflictRow } from '../../../shared/ports/client-store.ts';
import type { Became, Renamed } from '../../../shared/ports/feed.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { isFollowed } from '../names/followed.ts';
import type { ClientState } from '../state.ts';
import {
  chainOf,
  isRoot,
  originAt,
  pathOf,
  viewEntry,
  viewPlaces,
  viewStatus,
} from '../log/view.ts';
import type { NewConflictRepair } from './adjustment-list.ts';
import { conflictName, isoTime } from '../../../shared/model/conflict-name.ts';

/** A name, and what is said of it (rule C4). */
export interface MarkedName {
  readonly name: string;
  readonly copyOf?: CopyMark;
}

/** A place for what lost, and what is said of its name. */
export type MarkedPlace = Place & MarkedName;

/**
 * A conflict name that is free in the view, beside the name that was lost. `lost.copyOf`: it is the name of a copy already, which lost again: that one
 * is beside the same name.
 */
export function freePlace(
  state: ClientState,
  lost: MarkedPlace,
  isDirectory: boolean,
): Place & { readonly copyOf: string } {
  const about = { device: state.deviceName, wall: state.now.wall, isDirectory };
  // The view may not know yet what has the name that was lost.
  const isTaken = (name: string): boolean =>
    name === lost.name || (viewEntry(state, lost.dir, name) ?? null) !== null;
  const copyOf = lost.copyOf ?? lost.name;
  return { dir: lost.dir, name: conflictName(copyOf, about, isTaken), copyOf };
}

/** A place in the first of these directories that the view has, or the last of them. */
export function nearestPlace(
  state: ClientState,
  fid: Fid,
  directories: readonly Fid[],
  named: MarkedName,
  isDirectory: boolean,
): MarkedPlace {
  const alive = directories.find((dir) => (viewStatus(state, dir)?.links ?? 0) > 0);
  const dir = alive ?? directories.at(-1) ?? rootFor(state, fid);
  const holder = viewEntry(state, dir, named.name) ?? null;
  if (holder === null || holder === fid) return { dir, ...named };
  return freePlace(state, { dir, ...named }, isDirectory);
}

/** Without what is said of the name. */
export const unmarked = ({ dir, name }: Place): Place => ({ dir, name });

/** What an update that sets the name says of it. */
export function markAt({ copyOf }: Pick<MarkedName, 'copyOf'>): { copyOf?: CopyMark } {
  return copyOf === undefined ? {} : { copyOf };
}

function rootFor(state: ClientState, fid: Fid): Fid {
  const volume = Number(fid.slice(0, fid.indexOf('.')));
  const known = [...state.names.volumes.values()].find((v) => v.row.info.id === volume);
  return known?.row.info.root ?? (`${volume}.1.1` as Fid);
}

/** Only a folder has something to adjust, and only in the volume that it follows. */
export function offerAdjustment(
  state: ClientState,
  adjustment: NewConflictRepair,
  awaits: readonly UpdateSeq[],
): void {
  if (!isFollowed(state, adjustment.volume)) return;
  state.conflict.adjustments.add(adjustment, awaits);
}

/**
 * Records that our file is at `to`, since another has its place `from`. `holder`: the vnode that the server named at `from`; null: it named none, and
 * the view gives the holder, which may not be known yet.
 */
export function recordConflict(
  state: ClientState,
  from: Place,
  to: Place,
  kind: ConflictKind,
  holder: VnodeStatus | null = null,
): void {
  const copy = pathOf(state, to);
  // Where its folder is gone the old path is not known any more; nor could anything be put there.
  const path = isAttached(state, from.dir) ? pathOf(state, from) : copy;
  const theirs = holder === null ? sideAt(state, from) : sideOf(holder);
  const sides = sidesOf(sideAt(state, to), path === copy ? null : theirs);
  tell(state, { volume: volumeOf(to.dir), path, copy, kind, sides });
}

/**
 * A rename or a removal of ours that others' changes stand against: the vnode is where they have it. `wanted`: the name that we gave
 * or took away. `at`: where the vnode is; null: where the view has it.
 */
export function recordUndone(
  state: ClientState,
  fid: Fid,
  wanted: Place,
  kind: 'rename-undone' | 'removal-undone',
  at: Place | null = null,
): void {
  const place = at ?? viewPlaces(state, fid).find(({ dir }) => isAttached(state, dir));
  if (place === undefined) return;
  const [path, copy] = [shownPath(state, wanted), shownPath(state, place)];
  const mine = viewStatus(state, fid);
  // What has the name that was wanted matters to nobody: it is no side, and a choice goes by what is there then.
  const theirs = path === copy ? null : (sideAt(state, wanted) ?? null);
  const sides = sidesOf(mine === undefined ? undefined : sideOf(mine), theirs);
  tell(state, { volume: volumeOf(fid), path, copy, kind, sides });
}

/** A name that we gave was refused: `given` in place of `had`. `isGone`: others removed the vnode, or replaced it. Before it leaves the log. */
export function renamedFrom(
  state: ClientState,
  given: Place,
  had: Place,
  isGone: boolean,
): Renamed {
  return { path: shownPath(state, given), copy: shownPath(state, had), isGone };
}

/** Undoes the new name. Where the vnode is gone it is told, unless a folder says that it stays there as something new. */
export function restoreRenamed(
  state: ClientState,
  volume: VolumeId,
  fid: Fid,
  renamed: Renamed,
): void {
  const about = { kind: 'restored', volume, fid, renamed } as const;
  if (isFollowed(state, volume)) state.conflict.adjustments.add(about, []);
  else tellRenamed(state, about, null);
}

/** `became`: as the front end says; null: it does not look at its disk, or there is none. */
export function tellRenamed(
  state: ClientState,
  { volume, renamed }: { readonly volume: VolumeId; readonly renamed?: Renamed },
  became: Became | null,
): void {
  if (renamed === undefined || became === 'new') return;
  const { path, copy, isGone } = renamed;
  if (!isGone && became === null) return;
  tell(state, { volume, path, copy, sides: null, kind: 'renamed-removed' });
}

/** Adds a conflict to the list that the status shows, and logs it as a warning. */
export function tell(
  state: ClientState,
  { sides, unseen, ...about }: Omit<ConflictRow, 'when'>,
): void {
  const asked = unseen === undefined ? {} : { unseen };
  state.conflict.list.add({ when: isoTime(state.now.wall), ...about, sides, ...asked });
  state.out.log('warn', 'conflict', about);
  state.changed = true;
}

/** What the view has at a place; null: nothing, undefined: it is not known here. */
export function sideAt(state: ClientState, { dir, name }: Place): ConflictSide | null | undefined {
  const fid = viewEntry(state, dir, name);
  if (fid === null || fid === undefined) return fid;
  const status = viewStatus(state, fid);
  return status === undefined ? undefined : sideOf(status);
}

/** Null: one of the sides is missing or not known. */
export function sidesOf(
  mine: ConflictSide | null | undefined,
  theirs: ConflictSide | null | undefined,
): ConflictSides | null {
  return mine === null || mine === undefined || theirs === undefined ? null : { mine, theirs };
}

/** The path that a conflict shows, in a folder that is gone the last one. Where none is known only the name is left, as people are not shown fids. */
function shownPath(state: ClientState, place: Place): string {
  const top = originAt(state, place).ancestors.at(-1);
  return top !== undefined && isRoot(top) ? pathOf(state, place) : place.name;
}

function isAttached(state: ClientState, dir: Fid): boolean {
  const top = chainOf(state, dir).at(-1);
  return top !== undefined && isRoot(top);
}
