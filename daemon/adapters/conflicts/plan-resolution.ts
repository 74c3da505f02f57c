/**
 * What is to be done so that one side of a conflict stays and the other goes: a pure decision on what is at the two paths.
 *
 * Invariants
 * 1. Only what the conflict was about goes: a loser that was written since, or whose state then is unknown, is refused. What is kept may have been
 *    written to meanwhile: nothing of it goes.
 * 2. The loser is on the server, so that it can be restored.
 * 3. Repeated after a crash in the middle, it continues from there: what was swapped is not swapped back, and what is gone stays gone.
 */
import type { SideToKeep } from '../../../shared/control/resolution.ts';
import type { ConflictStatus } from '../../../shared/control/snapshot.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import {
  isAsThen,
  type ConflictSide,
  type ConflictSides,
} from '../../../shared/model/conflict-side.ts';

export interface ConflictState {
  readonly conflict: ConflictStatus;
  /** null: nobody can tell. */
  readonly was: ConflictSides | null;
  readonly atPath: Attributes | null;
  readonly atCopy: Attributes | null;
  /** What was at that place is in the volume still, under another name. */
  readonly hasMoved: { readonly mine: boolean; readonly theirs: boolean };
  /** The directory of the original name is there. */
  readonly hasDirectory: boolean;
}

export type Plan =
  | { readonly do: 'forget'; readonly kept: string | null; readonly note: string | null }
  | { readonly do: 'remove'; readonly from: 'path' | 'copy'; readonly loser: Attributes }
  /** What lies beside takes the place of the loser. */
  | { readonly do: 'replace'; readonly loser: Attributes }
  /** The original name is free: what lies beside takes it. */
  | { readonly do: 'move' };

/** Kinds in which the others' side is that there is nothing any more. */
const REMOVALS = new Set(['removed', 'directory-gone']);

/** Throws GodwitError: `changed-since`, `not-found`, `sync-blocked`, `is-a-directory`, `no-contents`. */
export function planResolution(scene: ConflictState, keep: SideToKeep): Plan {
  const { conflict, was } = scene;
  if (keep === 'both') return { do: 'forget', kept: null, note: null };
  if (conflict.kind === 'too-deep') return { do: 'forget', kept: conflict.copy, note: null };
  if (conflict.kind === 'contents-lost') {
    throw new GodwitError('no-contents', `${shown(conflict.path)}: nobody's contents are here`);
  }
  if (conflict.kind === 'renamed-removed') return ofWhatIsGone(conflict, keep);
  if (was === null) {
    throw changed(`nobody can tell what ${shown(conflict.path)} was when the conflict was found`);
  }
  if (conflict.kind === 'rename-undone' || conflict.kind === 'removal-undone') {
    return keep === 'mine' ? doAgain(scene, was) : forgotten(conflict.copy);
  }
  if (conflict.path === conflict.copy) {
    return was.theirs === null ? ofOnePath(scene, was, keep) : ofOneLeft(scene, was, keep);
  }
  // The copy is another laptop's: theirs lies beside, and mine is at its place.
  if (conflict.kind === 'elsewhere') {
    return keep === 'theirs' ? keepMine(scene, was) : keepTheirs(scene, was);
  }
  return keep === 'mine' ? keepMine(scene, was) : keepTheirs(scene, was);
}

/** Others removed what was renamed here. */
function ofWhatIsGone({ copy }: ConflictStatus, keep: 'mine' | 'theirs'): Plan {
  if (keep === 'mine') throw gone(copy, false);
  return forgotten(null);
}

/** Repeats the rename or removal that conflicted with others' changes, over what is there now, which must be what the conflict recorded. */
function doAgain(scene: ConflictState, was: ConflictSides): Plan {
  const { conflict, atPath, atCopy, hasMoved, hasDirectory } = scene;
  const { path, copy, kind } = conflict;
  if (kind === 'removal-undone') {
    return removal(scene, atCopy, was.mine, path === copy ? 'path' : 'copy');
  }
  if (path === copy) return forgotten(path);
  if (atCopy === null) throw gone(copy, hasMoved.mine);
  if (!isAsThen(atCopy, was.mine)) throw changed(`${shown(copy)} was changed since the conflict`);
  if (atPath !== null) throw changed(`${shown(path)} is the name of something else`);
  if (!hasDirectory) throw changed(`the folder of ${shown(path)} is gone`);
  return { do: 'move' };
}

function forgotten(kept: string | null): Plan {
  return { do: 'forget', kept, note: null };
}

/** Others removed what was written here, and it has its name again: their side is that there is nothing. */
function ofOnePath(scene: ConflictState, was: ConflictSides, keep: 'mine' | 'theirs'): Plan {
  const { conflict, atPath } = scene;
  if (keep === 'theirs') return removal(scene, atPath, was.mine, 'path');
  if (atPath === null) throw gone(conflict.path, scene.hasMoved.mine);
  return { do: 'forget', kept: conflict.path, note: null };
}

/** One side has taken the place of the other: nothing is left to remove, and the side that is gone is not to be had. */
function ofOneLeft(scene: ConflictState, was: ConflictSides, keep: 'mine' | 'theirs'): Plan {
  const { conflict, atPath } = scene;
  const isCopy = (conflict.kind === 'elsewhere') === (keep === 'theirs');
  const wanted = isCopy ? was.mine : was.theirs;
  if (atPath !== null && isAsThen(atPath, wanted)) return forgotten(conflict.path);
  const why = `the side to keep of ${shown(conflict.path)} is gone: the other has taken its place`;
  throw new GodwitError('not-found', why, 'see `godwit versions`');
}

function keepTheirs(scene: ConflictState, was: ConflictSides): Plan {
  const { conflict, atPath, atCopy } = scene;
  if (REMOVALS.has(conflict.kind)) return removal(scene, atCopy, was.mine, 'copy');
  if (atPath === null) throw gone(conflict.path, scene.hasMoved.theirs);
  if (isAsThen(atPath, was.mine)) {
    throw changed(`${shown(conflict.path)} is what was kept beside it by now`);
  }
  return removal(scene, atCopy, was.mine, 'copy');
}

function keepMine(scene: ConflictState, was: ConflictSides): Plan {
  const { conflict, atPath, atCopy, hasMoved } = scene;
  const { path, copy } = conflict;
  const hasItsName = isAsThen(atPath, was.mine);
  if (atCopy === null) {
    if (!hasItsName) throw gone(copy, hasMoved.mine);
    return { do: 'forget', kept: path, note: null };
  }
  if (hasItsName && isAsThen(atCopy, was.theirs)) {
    return { do: 'remove', from: 'copy', loser: removable(atCopy, copy) };
  }
  if (atPath === null) {
    if (hasMoved.theirs) throw moved(path);
    if (scene.hasDirectory) return { do: 'move' };
    return { do: 'forget', kept: copy, note: 'the folder it was in is gone: it stays where it is' };
  }
  if (!isAsThen(atPath, was.theirs)) throw changed(`${shown(path)} was changed since the conflict`);
  return { do: 'replace', loser: removable(atPath, path) };
}

function removal(
  { conflict, hasMoved }: ConflictState,
  there: Attributes | null,
  was: ConflictSide | null,
  from: 'path' | 'copy',
): Plan {
  const place = conflict[from];
  if (there === null) {
    if (hasMoved.mine) throw moved(place);
    const kept = from === 'copy' ? conflict.path : null;
    return { do: 'forget', kept, note: 'the other one is gone already' };
  }
  if (!isAsThen(there, was)) throw changed(`${shown(place)} was changed since the conflict`);
  return { do: 'remove', from, loser: removable(there, place) };
}

function removable(loser: Attributes, place: string): Attributes {
  if (loser.kind === 'directory') {
    throw new GodwitError(
      'is-a-directory',
      `${shown(place)} is a folder, and is not removed whole`,
    );
  }
  if (loser.sync !== 'committed' || (loser.kind === 'file' && loser.digest === null)) {
    const why = 'is not on the server yet, and could not be had back';
    throw new GodwitError('sync-blocked', `${shown(place)} ${why}`);
  }
  return loser;
}

export function changed(message: string): GodwitError {
  return new GodwitError('changed-since', message);
}

function moved(place: string): GodwitError {
  return changed(`what was ${shown(place)} has another name by now`);
}

function gone(place: string, hasMoved: boolean): GodwitError {
  return hasMoved ? moved(place) : new GodwitError('not-found', `${shown(place)} is gone`);
}

export function shown(path: string): string {
  return `/${path}`;
}
