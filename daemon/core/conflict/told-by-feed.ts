/**
 * Records the conflicts that the change feed shows, so that both sides list a conflict. The laptop that lost learns it from the server's refusal; the
 * others, whose side has the name, from the commit that adds the copy beside it. The list follows later changes of the names in it.
 *
 * What is a copy is said by the device that gives the name (rule C4). Where nobody said it, the name tells, as of older programs. A copy lies beside
 * what won: where nothing has the name that would have lost, there are no two sides to choose from.
 */
import type { ChangeSet, EntryChange } from '../../../shared/model/change.ts';
import { sideOf } from '../../../shared/model/conflict-side.ts';
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { MAX_NAME_BYTES, utf8Length } from '../../../shared/model/names.ts';
import type { ClientState } from '../state.ts';
import { isRoot, originAt, pathOf, viewEntry, viewStatus } from '../log/view.ts';
import { lostNameIn } from '../log/copy-mark.ts';
import { lostNameOf } from '../../../shared/model/conflict-name.ts';
import { sideAt, sidesOf, tell } from './outcome.ts';

/** A longer name of a copy may have been cut: a character has up to four bytes. */
const LONGEST_WHOLE = MAX_NAME_BYTES - 4;

/** A commit that is new here, over the names as it left them. */
export function noteConflicts(state: ClientState, set: ChangeSet): void {
  state.conflict.list.namesChanged(set.entries);
  for (const entry of set.entries) if (entry.fid !== null) noteConflictOfName(state, set, entry);
  if (state.conflict.list.size === 0) return;
  state.conflict.list.stored(set.vnodes);
  followNames(state, set);
}

function noteConflictOfName(
  state: ClientState,
  set: ChangeSet,
  { dir, name, fid }: EntryChange,
): void {
  const lost = lostNameIn(set, name);
  if (lost === null || fid === null || set.device === state.meta.get('device')) return;
  if (state.names.volumes.rightsIn(volumeOf(fid)) !== 'write') return;
  if (set.copyOf === undefined && isMovedAbout(set)) return;
  // A name that was cut to fit does not tell which it was.
  const isCut = set.copyOf === undefined && utf8Length(name) > LONGEST_WHOLE;
  if (!isKnown(state, dir) || !(isCut || isBesideWinner(state, dir, lost))) return;
  const copy = pathOf(state, { dir, name });
  const volume = volumeOf(dir);
  if (state.conflict.list.has(volume, copy)) return;
  const path = pathOf(state, { dir, name: lost });
  const made = set.vnodes.find((vnode) => vnode.fid === fid) ?? viewStatus(state, fid);
  const mine = made === undefined ? undefined : sideOf(made);
  const sides = sidesOf(mine, sideAt(state, { dir, name: lost }));
  const unseen = { dir, name: lost, copy: fid, mine: mine ?? null, commit: set.commit };
  const about = { volume, path, copy, kind: 'elsewhere', sides } as const;
  tell(state, sides === null ? { ...about, unseen } : about);
}

/** It had the name of a copy already: who moves one about has heard of it. */
function isMovedAbout({ entries }: ChangeSet): boolean {
  const freed = entries.find(({ fid }) => fid === null);
  return freed !== undefined && lostNameOf(freed.name) !== null;
}

/** Something has the name that lost, here or as the server has it. */
function isBesideWinner(state: ClientState, dir: Fid, lost: string): boolean {
  const base = state.names.directories.get(dir);
  if (base === undefined) return true;
  return base.entries.has(lost) || (viewEntry(state, dir, lost) ?? null) !== null;
}

/**
 * At most two names in a commit: one freed, and one set with what the first one had. What this laptop does to the two names themselves is not
 * followed: it may be half of a resolution, or a person who gives one of them another name, and means neither.
 */
function followNames(state: ClientState, { device, entries }: ChangeSet): void {
  const freed = entries.find(({ fid }) => fid === null);
  if (freed === undefined || !isKnown(state, freed.dir)) return;
  const set = entries.find(({ fid }) => fid !== null);
  const from = pathOf(state, freed);
  const isOwn = device === state.meta.get('device');
  const volume = volumeOf(freed.dir);
  if (set === undefined) {
    const hasEnded = state.conflict.list.gone(volume, from, isOwn);
    state.changed ||= hasEnded;
  } else if (isKnown(state, set.dir)) {
    const hasEnded = state.conflict.list.moved(volume, from, pathOf(state, set), isOwn);
    state.changed ||= hasEnded;
  }
}

/** A folder that was removed here and that the server may refuse to remove is one: then it is there again, with the copy in it. */
function isKnown(state: ClientState, dir: Fid): boolean {
  const top = originAt(state, { dir, name: '' }).ancestors.at(-1);
  return top !== undefined && isRoot(top);
}
